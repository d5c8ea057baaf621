import { createHash } from 'node:crypto';
import type { Dataset } from '../dataset/dataset.ts';
import { tweetJson } from '../dataset/render.ts';
import { nextSnowflake } from '../dataset/snowflake.ts';
import { checkText } from '../dataset/tweet-text.ts';
import type { SandboxTweet, User } from '../dataset/types.ts';
import { uploadIdOf } from '../dataset/uploads.ts';
import { visibleTweet } from '../dataset/visibility.ts';
import { type Fields, optionalString, requiredString } from '../fields.ts';
import { jsonBody, jsonResponse, ref, replayable } from '../http/contract.ts';
import { idempotencyToken } from '../http/input.ts';
import type { ActorCall, ActorOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { jsonText, type SandboxResponse } from '../http/response.ts';
import { badRequest } from '../refusal.ts';

const MAX_PHOTOS = 4;
const DAY_MS = 24 * 60 * 60 * 1000;

interface Draft {
  readonly text: string;
  readonly replyTo: string | undefined;
  readonly quoteOf: string | undefined;
  readonly media: readonly string[];
}

export const createTweetOperation: ActorOperation = {
  id: 'createTweet',
  method: 'POST',
  path: '/api/tweets',
  access: 'actor',
  contract: {
    summary: 'Posts a tweet. It survives a crash after the 201.',
    description:
      'Problems: `text_empty` 400, `text_too_long` 400 (280 weighted characters, 25,000 for premium accounts), `duplicate_tweet` 409 (the same actor, text, media and target within 24 hours), `not_found` 404 (of media too), `tweet_deleted` 404, `user_suspended` 403, `user_deleted` 404, `protected` 403 (of the tweet replied to or quoted), `idempotency_conflict` 409.',
    parameters: ['IdempotencyToken'],
    body: jsonBody(
      {
        type: 'object',
        properties: {
          text: {
            type: 'string',
            description: 'Stored in NFC, without white space at either end. Required if there is no media.',
          },
          reply_to_id: { type: ['string', 'null'] },
          quote_of_id: { type: ['string', 'null'] },
          media_ids: {
            type: ['array', 'null'],
            items: { type: 'string' },
            maxItems: 4,
            description: 'Up to four photos, one video or one gif that the actor uploaded.',
          },
        },
      },
      { text: 'Water first, then coffee, then opinions.' },
    ),
    responses: {
      201: replayable(
        jsonResponse(
          'The tweet. The header `idempotent-replayed: true` marks the repeated first result of a token.',
          ref('TweetAnswer'),
        ),
      ),
    },
  },
  handle(call) {
    const { platform, actor } = call;
    const draft = readDraft(call.body);
    const token = idempotencyToken(call);
    const fingerprint = fingerprintOf(draft);
    const replay = token === undefined ? undefined : replayed(call, token, fingerprint);
    if (replay !== undefined) return replay;

    checkDraft(platform.dataset, actor, draft, platform.now());
    const id = nextSnowflake(platform.now(), platform.dataset.lastTweetId);
    platform.commit({
      kind: 'tweet',
      id,
      author: actor.id,
      text: draft.text,
      at: platform.now(),
      ...(draft.replyTo === undefined ? {} : { replyTo: draft.replyTo }),
      ...(draft.quoteOf === undefined ? {} : { quoteOf: draft.quoteOf }),
      ...(draft.media.length === 0 ? {} : { media: draft.media }),
      ...(token === undefined ? {} : { token, fingerprint }),
    });
    platform.stats.tweetsCreated++;
    return created(call, id);
  },
};

function fingerprintOf({ text, replyTo, quoteOf, media }: Draft): string {
  const parts = [text, replyTo ?? null, quoteOf ?? null, ...(media.length === 0 ? [] : [media])];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

function readDraft(body: Fields): Draft {
  const media = readMediaIds(body);
  const text = media.length > 0 ? (optionalString(body, 'text') ?? '') : requiredString(body, 'text');
  return {
    text: text.normalize('NFC').trim(),
    replyTo: optionalString(body, 'reply_to_id'),
    quoteOf: optionalString(body, 'quote_of_id'),
    media,
  };
}

function readMediaIds({ media_ids: ids }: Fields): readonly string[] {
  if (ids === undefined || ids === null) return [];
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) {
    throw badRequest('media_ids', 'media_ids must be an array of ids');
  }
  if (new Set(ids).size < ids.length) throw badRequest('media_ids', 'media_ids contains the same id twice');
  return ids;
}

/** Returns the response to the first request with this idempotency token, if there was one. */
function replayed(call: ActorCall, token: string, fingerprint: string): SandboxResponse | undefined {
  const { platform, actor } = call;
  const first = platform.tokens.find(actor.id, token, platform.now());
  if (first === undefined) return undefined;
  if (first.fingerprint !== fingerprint) {
    throw new Problem(409, 'idempotency_conflict', 'This idempotency-token was used with a different body');
  }
  return created(call, first.subjectId, { 'idempotent-replayed': 'true' });
}

function created(
  { platform: { dataset }, actor }: ActorCall,
  id: string,
  headers?: Record<string, string>,
): SandboxResponse {
  const tweet = dataset.tweet(id);
  if (tweet === undefined) throw new Error(`tweet ${id} is not there`);
  return jsonText(`{"tweet":${tweetJson(dataset, tweet, actor)}}`, 201, headers);
}

function checkDraft(dataset: Dataset, actor: User, draft: Draft, now: number): void {
  checkText(draft.text, actor, draft.media.length > 0);
  checkMedia(dataset, actor, draft.media, now);
  if (draft.replyTo !== undefined) visibleTweet(dataset, draft.replyTo, actor);
  if (draft.quoteOf !== undefined) visibleTweet(dataset, draft.quoteOf, actor);
  if (isDuplicate(actor, draft, now)) throw new Problem(409, 'duplicate_tweet', 'Status is a duplicate.');
}

/** Accepts up to four photos, or one video or animated GIF. */
function checkMedia(dataset: Dataset, actor: User, ids: readonly string[], now: number): void {
  const uploads = ids.map((id) => dataset.uploads.own(id, actor, now));
  const most = uploads.some(({ kind }) => kind !== 'photo') ? 1 : MAX_PHOTOS;
  if (uploads.length > most)
    throw badRequest('media_ids', 'media_ids must have up to four photos, or one video, or one GIF');
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
