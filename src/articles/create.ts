import type { PlatformArticle, PlatformArticles } from '../platform/port.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { RichText } from '../shared/rich-text/rich-text.ts';
import { isUnknown, retryOnce, withRemainingState } from './change.ts';
import type { Edits } from './edits.ts';
import { movesOf } from './moves.ts';
import type { Transition } from './states.ts';

const noContent: RichText = { blocks: [], entities: [], containers: [] };
const empty = { title: '', content: { richText: JSON.stringify(noContent) }, cover_media_id: null };

/**
 * Creates an article. If a step fails, the article is deleted. If deleting fails too, the error has the id of the
 * remaining article.
 */
export async function create(
  articles: PlatformArticles,
  { steps }: Transition,
  edits: Edits,
): Promise<PlatformArticle> {
  const { articleId, status } = await begin(articles);
  try {
    // When a request is repeated, its first attempt may have completed. Publishing is the last step, so a published
    // article needs no further steps.
    if (status === 'draft') for (const move of movesOf(articles, articleId, steps, edits, empty)) await move.run();
    return await articles.article(articleId);
  } catch (error) {
    await discard(articles, articleId, error);
    throw error;
  }
}

async function begin(articles: PlatformArticles) {
  try {
    return await articles.create();
  } catch (error) {
    if (!(error instanceof PosternError) || !isUnknown(error)) throw error;
    throw withRemainingState(error, 'An empty draft may be left behind: article/list shows it');
  }
}

async function discard(articles: PlatformArticles, articleId: string, cause: unknown): Promise<void> {
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
