import type { PlatformArticle, PlatformArticles, PlatformSession } from '../platform/port.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { Edits } from './edits.ts';
import { type Move, movesOf, type Part } from './moves.ts';
import { type Transition, type Trigger, transitionOf } from './states.ts';

/** Returns the article and its transition for a trigger. Throws if the article is missing or foreign, or if a premium account is required. */
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

export async function checkPremium(platform: PlatformSession): Promise<void> {
  // The platform shows its paid subscription as the blue mark.
  if ((await platform.ownProfile()).isBlueVerified) return;
  throw new PosternError('premium_required', 'Publishing an article needs a premium subscription');
}

/**
 * Applies a transition to an existing article. If a step fails, the steps before it are undone and the error of the step is thrown. If
 * undoing fails too, the error also describes the state of the article.
 */
export async function change(
  articles: PlatformArticles,
  found: PlatformArticle,
  { steps }: Transition,
  edits: Edits,
): Promise<void> {
  const attempted: Move[] = [];
  const now = new Map<Part, string>();
  for (const move of movesOf(articles, found.article_id, steps, edits, found)) {
    try {
      await move.run();
      attempted.push(move);
      now.set(move.part, move.to);
    } catch (error) {
      // A refused write changed nothing. After any other error the write may have been applied.
      if (isUnknown(error)) {
        attempted.push(move);
        now.set(move.part, eitherOf(move));
      }
      if (await undone(attempted, now)) throw error;
      throw await leftBetween(articles, found, now, error);
    }
  }
}

/** Undoes the attempted moves, the last one first. Returns false if an undo failed. */
async function undone(attempted: readonly Move[], now: Map<Part, string>): Promise<boolean> {
  let well = true;
  for (const move of attempted.toReversed()) {
    // An article that is only partly restored must not be published.
    if (!well && move.part === 'status') continue;
    try {
      await twice(move.undo);
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

/** Returns the error for a partly changed article. It describes the state that the platform returns, or the known state if that fails. */
async function leftBetween(
  articles: PlatformArticles,
  found: PlatformArticle,
  known: ReadonlyMap<Part, string>,
  error: unknown,
): Promise<unknown> {
  const shown = await articles.article(found.article_id).catch(() => null);
  const now = shown === null ? known : new Map([...known.keys()].map((part) => [part, stateOf(part, found, shown)]));
  const edited = [...now].filter(([part]) => part !== 'status');
  const status = now.get('status') ?? found.status;
  if (status === found.status && edited.every(([, state]) => state === 'old')) return error;
  const states = [`status ${status}`, ...edited.map(([part, state]) => `${part} ${state}`)].join(', ');
  return failed(error, `Article ${found.article_id} could not be brought back to what it was. It is now: ${states}`);
}

function stateOf(part: Part, before: PlatformArticle, now: PlatformArticle): string {
  if (part === 'status') return now.status;
  const written = ({ title, content, cover_media_id: cover }: PlatformArticle) =>
    JSON.stringify({ title, content, cover }[part]);
  return written(before) === written(now) ? 'old' : 'new';
}

/** Returns the error with a second sentence about the state that it left. */
export function failed(error: unknown, left: string): PosternError {
  const fault =
    error instanceof PosternError ? error : new PosternError('unexpected', 'Internal error', { cause: error });
  const reason = fault.status >= 500 ? fault.reason : 'article_inconsistent';
  return new PosternError(reason, `${fault.message}. ${left}`, { cause: fault });
}

export function isUnknown(error: unknown): boolean {
  return !(error instanceof PosternError) || error.status >= 500;
}

/** Runs a write that restores an article, a second time if its outcome is unknown. */
export async function twice(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!isUnknown(error)) throw error;
    await run();
  }
}
