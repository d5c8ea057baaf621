import type { PlatformArticle, PlatformArticles } from '../platform/port.ts';
import type { Edits } from './edits.ts';
import type { Step } from './states.ts';

/** The part of an article that a write changes. */
export type Part = 'status' | 'title' | 'content' | 'cover';

/** A write to an article, together with the write that undoes it. Both can be repeated safely. */
export interface Move {
  readonly part: Part;
  /** The state of the part before and after the write. */
  readonly from: string;
  readonly to: string;
  run(): Promise<void>;
  undo(): Promise<void>;
}

/** Returns the writes for the steps. `before` is the state to which undoing returns. */
export function movesOf(
  articles: PlatformArticles,
  articleId: string,
  steps: readonly Step[],
  edits: Edits,
  before: Pick<PlatformArticle, 'title' | 'content' | 'cover_media_id'>,
): Move[] {
  const publish = () => articles.publish(articleId);
  const unpublish = async () => {
    await articles.unpublish(articleId);
  };
  return steps.flatMap((step): Move[] => {
    if (step === 'publish') return [{ part: 'status', from: 'draft', to: 'published', run: publish, undo: unpublish }];
    if (step === 'unpublish')
      return [{ part: 'status', from: 'published', to: 'draft', run: unpublish, undo: publish }];
    if (step !== 'edit') return [];
    const { title, content, coverMediaId } = edits;
    const made: Move[] = [];
    const edit = (part: Part, run: Move['run'], undo: Move['undo']) =>
      made.push({ part, from: 'old', to: 'new', run, undo });
    if (title !== undefined) {
      edit(
        'title',
        () => articles.setTitle(articleId, title),
        () => articles.setTitle(articleId, before.title),
      );
    }
    if (content !== undefined) {
      edit(
        'content',
        () => articles.setContent(articleId, { richText: content }),
        () => articles.setContent(articleId, before.content),
      );
    }
    if (coverMediaId !== undefined) {
      edit(
        'cover',
        () => articles.setCover(articleId, coverMediaId),
        () => articles.setCover(articleId, before.cover_media_id),
      );
    }
    return made;
  });
}
