import type {
  ArticleEdits,
  ArticlePlace,
  PlatformArticle,
  PlatformArticles,
  PlatformSession,
} from '../platform/port.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import { type Step, type Transition, type Trigger, transitionOf } from './states.ts';

/**
 * Returns the article and the transition for a trigger. Throws if the article does not exist, belongs to another user,
 * or needs a premium account that the actor does not have.
 */
export async function findTransition(
  platform: PlatformSession,
  articleId: string,
  trigger: Trigger,
): Promise<{ found: PlatformArticle; transition: Transition }> {
  const found = await platform.articles.article(articleId);
  if (!found.isOwn) throw new PosternError('not_owner', 'Only its author can change an article');
  const transition = transitionOf(found.status, trigger);
  if (transition === undefined) throw new PosternError('resource_not_found', `Article not found: ${articleId}`);
  if (transition.premium) await checkPremium(platform);
  return { found, transition };
}

export async function checkPremium({ articles }: PlatformSession): Promise<void> {
  if (await articles.mayPublish()) return;
  throw new PosternError('premium_required', 'Publishing an article needs a premium subscription');
}

/** Publishes an article. A platform that writes articles once does not show it before. */
export async function publish(platform: PlatformSession, articleId: string): Promise<ArticlePlace> {
  const { articles } = platform;
  if (articles.areWrittenOnce) {
    await checkPremium(platform);
    return articles.publish(articleId);
  }
  const { found, transition } = await findTransition(platform, articleId, 'publish');
  return applyTransition(articles, found, transition, {});
}

/**
 * Applies a transition to an article. If a step fails, the previous steps are undone, and the error of the step is
 * thrown. If undoing fails too, the error also describes the state of the article.
 */
export async function applyTransition(
  articles: PlatformArticles,
  found: PlatformArticle,
  { steps }: Transition,
  edits: ArticleEdits,
): Promise<ArticlePlace> {
  const attempted: Move[] = [];
  const now = new Map<Part, string>();
  let place: ArticlePlace = found;
  for (const move of movesOf(articles, steps, edits, found)) {
    try {
      place = (await move.run()) ?? place;
      attempted.push(move);
      now.set(move.part, move.to);
    } catch (error) {
      // If the outcome of the write is unknown, the write may have been applied and must be undone too. Any other error
      // means that nothing was changed.
      if (isUnknown(error)) {
        attempted.push(move);
        now.set(move.part, eitherOf(move));
      }
      if (await undoMoves(attempted, now)) throw error;
      throw await partialChangeError(articles, found, edits, now, error);
    }
  }
  return place;
}

/** Undoes the writes that were attempted, in reverse order. Returns false if undoing failed. */
async function undoMoves(attempted: readonly Move[], now: Map<Part, string>): Promise<boolean> {
  let well = true;
  for (const move of attempted.toReversed()) {
    // Do not publish an article that could not be restored completely.
    if (!well && move.part === 'status') continue;
    try {
      await retryOnce(move.undo);
      now.set(move.part, move.from);
    } catch (error) {
      if (isUnknown(error)) now.set(move.part, eitherOf(move));
      well = false;
    }
  }
  return well;
}

function eitherOf({ from, to }: Move): string {
  return `${from} or ${to}`;
}

/**
 * Returns the error for an article that could not be restored. It describes the state read from the platform, or the
 * last known state if reading fails.
 */
async function partialChangeError(
  articles: PlatformArticles,
  found: PlatformArticle,
  edits: ArticleEdits,
  known: ReadonlyMap<Part, string>,
  error: unknown,
): Promise<unknown> {
  const shown = await articles.article(found.article_id).catch(() => null);
  const status = shown?.status ?? known.get('status') ?? found.status;
  const edited = shown === null || !known.has('edits') ? known.get('edits') : stateOf(edits, found, shown);
  if (status === found.status && (edited ?? 'old') === 'old') return error;
  const states = [`status ${status}`, ...(edited === undefined ? [] : [`edits ${edited}`])].join(', ');
  return withRemainingState(
    error,
    `Article ${found.article_id} could not be brought back to what it was. It is now: ${states}`,
  );
}

/** Returns whether the parts that were edited are the old or the new ones. */
function stateOf(edits: ArticleEdits, before: PlatformArticle, now: PlatformArticle): string {
  const written = ({ title, content, cover_media_id: cover }: PlatformArticle) =>
    JSON.stringify(Object.entries({ title, content, cover }).filter(([part]) => part in edits));
  return written(before) === written(now) ? 'old' : 'new';
}

/** Adds a sentence about the remaining state of the article to an error. */
export function withRemainingState(error: unknown, left: string): PosternError {
  const failure =
    error instanceof PosternError ? error : new PosternError('unexpected', 'Internal error', { cause: error });
  const reason = failure.status >= 500 ? failure.reason : 'article_inconsistent';
  return new PosternError(reason, `${failure.message}. ${left}`, { cause: failure });
}

export function isUnknown(error: unknown): boolean {
  return !(error instanceof PosternError) || error.status >= 500;
}

/** Runs a write that restores an article. If the outcome is unknown, the write is repeated once. */
export async function retryOnce(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!isUnknown(error)) throw error;
    await run();
  }
}

/** The part of an article that a write changes. */
type Part = 'status' | 'edits';

/** A write to an article, together with the write that undoes it. Both can be repeated safely. */
interface Move {
  readonly part: Part;
  /** The state of the part before and after the write. */
  readonly from: string;
  readonly to: string;
  /** Returns the new place of an article that is published. */
  run(): Promise<ArticlePlace | undefined>;
  undo(): Promise<unknown>;
}

/** Returns the writes for the steps. `before` is the state to which undoing returns. */
function movesOf(
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
