import type { ActorCall } from '../http/operation.ts';
import { notFound, Problem } from '../http/problem.ts';
import type { Article } from './articles.ts';
import { hiddenFrom } from './visibility.ts';

/** An article that the actor may read: its own, or a published one by an author whose tweets it may see. */
export function readableArticle({ platform, actor }: Pick<ActorCall, 'platform' | 'actor'>, id: string): Article {
  const article = platform.dataset.articles.find(id);
  if (article?.author === actor) return article;
  if (article === undefined || article.tweet === null) throw notFound('article', id);
  const hidden = hiddenFrom(actor, article.tweet);
  if (hidden === 'protected') {
    throw new Problem(403, 'protected', 'The author of that article shows it to followers only', { id });
  }
  if (hidden === 'author_suspended') {
    throw new Problem(403, 'user_suspended', 'The author of that article is suspended', { id });
  }
  if (hidden !== undefined) throw notFound('article', id);
  return article;
}

/** An article that the actor may change. */
export function ownArticle(call: ActorCall, id: string): Article {
  const article = readableArticle(call, id);
  if (article.author === call.actor) return article;
  throw new Problem(403, 'forbidden', 'Only its author can change an article', { id });
}
