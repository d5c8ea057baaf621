import type { Dataset } from '../dataset/dataset.ts';
import { nextSnowflake } from '../dataset/snowflake.ts';
import { checkText } from '../dataset/tweet-text.ts';
import type { SandboxTweet, User } from '../dataset/types.ts';
import { uploadIdOf } from '../dataset/uploads.ts';
import { type Fields, optionalString, requiredString } from '../fields.ts';
import type { XOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { badRequest, Refusal } from '../refusal.ts';
import { fingerprintOf, objectIn, postOf, tokened, usedBefore, userOperation, type WriteCall } from './write.ts';

const MAX_PHOTOS = 4;
const DAY_MS = 24 * 60 * 60 * 1000;

interface Draft {
  readonly text: string;
  readonly replyTo: string | undefined;
  readonly quoteOf: string | undefined;
  readonly media: readonly string[];
}

const createPosts = userOperation('createPosts', 'POST', '/2/tweets', {
  names: ['text', 'reply', 'quote_tweet_id', 'media'],
  status: 201,
  run(call) {
    const { state, actor } = call;
    const draft = readDraft(call.body);
    const { text, replyTo: replyId = null, quoteOf: quoteId = null, media } = draft;
    const fingerprint = fingerprintOf(text, replyId, quoteId, ...(media.length === 0 ? [] : [media]));
    const earlier = usedBefore(call, fingerprint);
    if (earlier !== undefined) return created(state.dataset, earlier);
    const { replyTo, quoteOf } = checkDraft(call, draft);
    const at = state.now();
    const id = nextSnowflake(at, state.dataset.lastTweetId);
    state.commit({
      kind: 'tweet',
      id,
      author: actor.id,
      text,
      at,
      ...(replyTo && { replyTo: replyTo.id }),
      ...(quoteOf && { quoteOf: quoteOf.id }),
      ...(media.length > 0 && { media }),
      ...tokened(call, fingerprint),
    });
    state.stats.tweetsCreated++;
    return created(state.dataset, id);
  },
});

/** Deletes a post, or a repost by its own id. */
const deletePosts = userOperation('deletePosts', 'DELETE', '/2/tweets/{id}', {
  run(call) {
    const { state, actor, subject: id } = call;
    const fingerprint = `delete ${id}`;
    if (usedBefore(call, fingerprint) === undefined) {
      const repost = state.dataset.reposts.get(id);
      const tweet = postOf(call, 'id', id);
      if ((repost ?? tweet).author !== actor)
        throw new Problem(403, 'forbidden', 'You are not authorized to delete this Tweet.');
      const entry = { user: actor.id, tweet: tweet.id, at: state.now() };
      if (repost) state.commit({ kind: 'unretweet', ...entry });
      else state.commit({ kind: 'delete', ...entry, ...tokened(call, fingerprint) });
    }
    return { data: { deleted: true } };
  },
});

/** Creating and deleting posts: https://docs.x.com/x-api/posts/manage-tweets/introduction */
export const postOperations: readonly XOperation[] = [createPosts, deletePosts];

function readDraft(body: Fields): Draft {
  const reply = objectIn(body, 'reply', [
    'in_reply_to_tweet_id',
    'exclude_reply_user_ids',
    'auto_populate_reply_metadata',
  ]);
  const media = readMediaIds(objectIn(body, 'media', ['media_ids']));
  const text = media.length > 0 ? (optionalString(body, 'text') ?? '') : requiredString(body, 'text');
  return {
    text: text.normalize('NFC').trim(),
    replyTo: reply && requiredString(reply, 'in_reply_to_tweet_id'),
    quoteOf: optionalString(body, 'quote_tweet_id'),
    media,
  };
}

function readMediaIds(media: Fields | undefined): readonly string[] {
  if (media === undefined) return [];
  const { media_ids: ids } = media;
  if (!Array.isArray(ids) || ids.length === 0 || !ids.every((id) => typeof id === 'string')) {
    throw badRequest('media.media_ids', 'media_ids must be an array of ids');
  }
  if (new Set(ids).size < ids.length) throw badRequest('media.media_ids', 'media_ids contains the same id twice');
  return ids;
}

function created(dataset: Dataset, id: string): object {
  return { data: { id, text: dataset.tweet(id)?.text, edit_history_post_ids: [id] } };
}

function checkDraft(call: WriteCall, draft: Draft) {
  const { state, actor } = call;
  checkText(draft.text, actor, draft.media.length > 0);
  checkMedia(call, draft.media);
  const { replyTo: replyId, quoteOf: quoteId } = draft;
  const replyTo = replyId === undefined ? undefined : postOf(call, 'reply.in_reply_to_tweet_id', replyId);
  const quoteOf = quoteId === undefined ? undefined : postOf(call, 'quote_tweet_id', quoteId);
  if (isDuplicate(actor, { ...draft, replyTo: replyTo?.id, quoteOf: quoteOf?.id }, state.now()))
    throw new Problem(403, 'forbidden', 'You are not allowed to create a Tweet with duplicate content.');
  return { replyTo, quoteOf };
}

/** Accepts up to four photos, or one video or animated GIF. */
function checkMedia({ state, actor }: WriteCall, ids: readonly string[]): void {
  const { uploads } = state.dataset;
  const found = ids.map((id) => ownUpload(() => uploads.own(id, actor, state.now()), id));
  const most = found.some(({ kind }) => kind !== 'photo') ? 1 : MAX_PHOTOS;
  if (found.length > most)
    throw badRequest('media.media_ids', 'media_ids must have up to four photos, or one video, or one GIF');
}

function ownUpload<T>(find: () => T, id: string): T {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal('bad_request', 'Your media IDs are invalid.', { field: 'media.media_ids', values: [id] });
  }
}

/** An index of the tweets of one author by text. New tweets are added before each search. */
interface Texts {
  /** The number of the author's tweets that have been indexed. */
  indexed: number;
  readonly byText: Map<string, SandboxTweet[]>;
}

const textsOf = new WeakMap<User, Texts>();

/** Returns true if the author has published the same tweet in the last 24 hours. Only tweets with the same text are compared. */
function isDuplicate(actor: User, draft: Draft, now: number): boolean {
  for (const tweet of sameText(actor, draft.text)) {
    if (tweet.deleted || tweet.createdAt <= now - DAY_MS) continue;
    const same =
      tweet.media.map(uploadIdOf).join() === draft.media.join() &&
      tweet.replyTo?.id === draft.replyTo &&
      tweet.quoteOf?.id === draft.quoteOf;
    if (same) return true;
  }
  return false;
}

function sameText(actor: User, text: string): readonly SandboxTweet[] {
  const texts = textsOf.get(actor) ?? { indexed: 0, byText: new Map<string, SandboxTweet[]>() };
  textsOf.set(actor, texts);
  for (const tweet of actor.tweets.slice(texts.indexed)) {
    const others = texts.byText.get(tweet.text);
    if (others) others.push(tweet);
    else texts.byText.set(tweet.text, [tweet]);
  }
  texts.indexed = actor.tweets.length;
  return texts.byText.get(text) ?? [];
}
