import type { ArticleEdits, ArticlePlace, PlatformArticle, PlatformArticles } from '../platform/port.ts';
import type { Step } from './states.ts';

/** The part of an article that a write changes. */
export type Part = 'status' | 'edits';

/** A write to an article, together with the write that undoes it. Both can be repeated safely. */
export interface Move {
  readonly part: Part;
  /** The state of the part before and after the write. */
  readonly from: string;
  readonly to: string;
  /** Returns the new place of an article that is published. */
  run(): Promise<ArticlePlace | undefined>;
  undo(): Promise<unknown>;
}

/** Returns the writes for the steps. `before` is the state to which undoing returns. */
export function movesOf(
  articles: PlatformArticles,
  steps: readonly Step[],
  edits: ArticleEdits,
  before: PlatformArticle,
): Move[] {
  const { article_id: articleId, title, content, cover_media_id: cover } = before;
  const publish = () => articles.publish(articleId);
  const unpublish = () => articles.unpublish(articleId).then(() => undefined);
  const change = (to: ArticleEdits) => articles.change(articleId, to).then(() => undefined);
  const former = Object.fromEntries(Object.entries({ title, content, cover }).filter(([part]) => part in edits));
  return steps.flatMap((step): Move[] => {
    if (step === 'publish') return [{ part: 'status', from: 'draft', to: 'published', run: publish, undo: unpublish }];
    if (step === 'unpublish')
      return [{ part: 'status', from: 'published', to: 'draft', run: unpublish, undo: publish }];
    if (step !== 'edit') return [];
    return [{ part: 'edits', from: 'old', to: 'new', run: () => change(edits), undo: () => change(former) }];
  });
}
