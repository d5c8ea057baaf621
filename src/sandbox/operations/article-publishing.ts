import { json } from '../http/answer.ts';
import type { ActorOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { summaryForm } from '../world/article-forms.ts';
import { ownArticle } from '../world/look-up-article.ts';
import { nextSnowflake } from '../world/snowflake.ts';

const path = '/api/articles/{id}/published';

/** Answers before the wrapper tweet can be read: its id is in what is read next. */
export const publishArticle: ActorOperation = {
  id: 'publishArticle',
  method: 'PUT',
  path,
  access: 'actor',
  handle(call) {
    const { platform, actor } = call;
    const article = ownArticle(call, call.params['id'] ?? '');
    if (article.tweet === null) {
      if (!actor.premium) throw new Problem(403, 'premium_required', 'Only premium accounts publish articles');
      const tweet = nextSnowflake(platform.now(), platform.world.lastTweetId);
      platform.commit({ kind: 'publish_article', article: article.id, tweet, at: platform.now() });
    }
    return json({ article_id: article.id, published: true });
  },
};

export const unpublishArticle: ActorOperation = {
  id: 'unpublishArticle',
  method: 'DELETE',
  path,
  access: 'actor',
  handle(call) {
    const article = ownArticle(call, call.params['id'] ?? '');
    if (article.tweet !== null) {
      call.platform.commit({ kind: 'unpublish_article', article: article.id, at: call.platform.now() });
    }
    return json({ article: summaryForm(call, article) });
  },
};
