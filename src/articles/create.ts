import type { ArticlePlace, NewArticle, PlatformArticles } from '../platform/port.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import { isUnknown, retryOnce, withRemainingState } from './change.ts';
import type { Transition } from './states.ts';

/**
 * Creates an article. If publishing fails, the draft is deleted. If deleting fails too, or the platform cannot delete it, the error has
 * the id of the remaining article.
 */
export async function create(
  articles: PlatformArticles,
  { steps }: Transition,
  article: NewArticle,
): Promise<ArticlePlace> {
  const draft = await begin(articles, article);
  // When a request is repeated, its first attempt may have published the article.
  if (draft.status === 'published' || !steps.includes('publish')) return draft;
  try {
    return await articles.publish(draft.article_id);
  } catch (error) {
    await discard(articles, draft.article_id, error);
    throw error;
  }
}

async function begin(articles: PlatformArticles, article: NewArticle): Promise<ArticlePlace> {
  try {
    return await articles.createDraft(article);
  } catch (error) {
    if (!(error instanceof PosternError) || !isUnknown(error)) throw error;
    const where = articles.areWrittenOnce ? '' : ': article/list shows it';
    throw withRemainingState(error, `A draft may be left behind${where}`);
  }
}

async function discard(articles: PlatformArticles, articleId: string, cause: unknown): Promise<void> {
  if (articles.areWrittenOnce)
    throw withRemainingState(cause, `Article ${articleId} is left as a draft, unless it was published`);
  try {
    await retryOnce(() => articles.delete(articleId));
  } catch (error) {
    // The first attempt deleted the article, but its response was lost.
    if (error instanceof PosternError && error.code === 'not_found') return;
    const now = await articles.article(articleId).catch(() => null);
    const status = now === null ? 'draft, unless it was published or deleted' : now.status;
    throw withRemainingState(cause, `Article ${articleId} could not be removed. Its status is now ${status}`);
  }
}
