import { mainSchema as getPosts } from '@atcute/bluesky/types/app/feed/getPosts';
import * as Post from '@atcute/bluesky/types/app/feed/post';
import * as v from '@atcute/lexicons/validations';
import { malformedField } from '../../shared/errors/fields.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { formatTweetTime } from '../../shared/model/time.ts';
import type { CreatedTweet, NewTweet } from '../port.ts';
import { atprotoCapabilities } from './capabilities.ts';
import { facetsOf, findMarks } from './facets.ts';
import { parseRecordUri } from './identifiers.ts';
import type { MediaStore } from './media.ts';
import { type Subject, subjectNotFound } from './problems.ts';
import { collections, type Records, type StrongRef } from './records.ts';
import { didOf, readPostUrl } from './references.ts';
import type { ServerSession } from './server-session.ts';

const { length: maxGraphemes, bytes: maxBytes } = atprotoCapabilities.limits.text;
/** The part of a post that names its thread. Other parts are not validated, because they may be large. */
const threadSchema = v.object({ reply: v.optional(Post.replyRefSchema) });
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export const tweetSubject = (id: string): Subject => ({ kind: 'Tweet', id });

/** Posts a tweet: text with facets, a reply, a quote, pictures. */
export async function createPost(
  actor: ServerSession,
  records: Records,
  media: MediaStore,
  tweet: NewTweet,
): Promise<CreatedTweet> {
  const { text, mediaIds = [], langs = [] } = tweet;
  checkText(text, mediaIds.length > 0);
  const [facets, reply, quoted, images] = await Promise.all([
    readFacets(actor, text),
    tweet.replyToTweetId === null ? null : readReply(actor, records, tweet.replyToTweetId),
    readQuote(actor, records, tweet),
    mediaIds.length === 0 ? null : media.embedOf(actor, mediaIds, tweet.mediaAltTexts),
  ]);
  const embed = embedOf(quoted, images);
  // The id of the post contains the id of its author, which must be stored before the post exists.
  await actor.viewerId();
  const created = await records.create('createTweet', collections.post, () => ({
    text,
    ...(facets.length > 0 && { facets }),
    ...(reply && { reply }),
    ...(embed && { embed }),
    ...(langs.length > 0 && { langs }),
  }));
  const id = actor.ids.ofRecord(created.uri) ?? '';
  const createdAt = formatTweetTime(new Date(created.createdAt));
  return { id, text, createdAt, pendingModeration: false, communityId: null };
}

/** A record has one embed, which may combine a quote with pictures. */
function embedOf(quoted: StrongRef | null, images: object | null): object | null {
  const record = quoted && { $type: 'app.bsky.embed.record', record: quoted };
  if (record === null || images === null) return record ?? images;
  return { $type: 'app.bsky.embed.recordWithMedia', record, media: images };
}

/** Returns the part of a text that fits into a post. */
export function firstGraphemes(text: string): string {
  const parts = [...graphemes.segment(text)].slice(0, maxGraphemes).map(({ segment }) => segment);
  return Buffer.from(parts.join(''))
    .subarray(0, maxBytes)
    .toString()
    .replace(/\uFFFD$/, '');
}

function checkText(text: string, mayBeBlank: boolean): void {
  if (text.trim() === '' && !mayBeBlank) throw malformedField('text', 'must not be blank');
  const isShort = Buffer.byteLength(text) <= maxBytes && [...graphemes.segment(text)].length <= maxGraphemes;
  if (!isShort)
    throw malformedField('text', `must be at most ${maxGraphemes} characters (graphemes) and ${maxBytes} bytes`);
}

async function readFacets(actor: ServerSession, text: string) {
  const marks = findMarks(text);
  const handles = [...new Set(marks.flatMap((mark) => (mark.kind === 'mention' ? [mark.handle] : [])))];
  const dids = new Map<string, string>();
  await Promise.all(
    handles.map(async (handle) => {
      const did = await didOf(actor, handle, { kind: 'User', id: handle }).catch(ignoreUnknown);
      if (did !== null) dids.set(handle, did);
    }),
  );
  return facetsOf(text, marks, dids);
}

/** Ignores the error for an unknown handle, so that the mention stays plain text. */
function ignoreUnknown(error: unknown): null {
  if (error instanceof PosternError && error.reason === 'resource_not_found') return null;
  throw error;
}

async function readReply(actor: ServerSession, records: Records, tweetId: string) {
  const uri = await actor.ids.uriOf(tweetId, collections.post, tweetSubject(tweetId));
  const { cid, value } = await findPost(actor, records, uri, tweetId);
  const parent = { uri, cid };
  const root = v.is(threadSchema, value) && value.reply ? value.reply.root : parent;
  return { root: { uri: root.uri, cid: root.cid }, parent };
}

async function readQuote(actor: ServerSession, records: Records, tweet: NewTweet): Promise<StrongRef | null> {
  if (tweet.quoteTweetId !== null) {
    const uri = await actor.ids.uriOf(tweet.quoteTweetId, collections.post, tweetSubject(tweet.quoteTweetId));
    const { cid } = await findPost(actor, records, uri, tweet.quoteTweetId);
    return { uri, cid };
  }
  const address = tweet.quoteTweetUrl ? readPostUrl(tweet.quoteTweetUrl) : null;
  if (address === null) return null;
  const named = tweet.quoteTweetUrl ?? '';
  const did = await didOf(actor, address.author, tweetSubject(named));
  const uri: StrongRef['uri'] = `at://${did}/${collections.post}/${address.key}`;
  const { cid } = await findPost(actor, records, uri, named);
  return { uri, cid };
}

/**
 * Returns a post, with the actor's like and repost of it as far as the AppView knows them. An own post may be too new for the
 * AppView, so the actor's own server is asked next.
 */
export async function findPost(actor: ServerSession, records: Records, uri: StrongRef['uri'], id: string) {
  const view = await viewOf(actor, uri, id);
  if (view) return { uri, cid: view.cid, value: view.record, viewer: view.viewer };
  const name = parseRecordUri(uri);
  const own = name && name.did === (await actor.did()) ? await records.read(name.did, name.collection, name.key) : null;
  if (own === null) throw subjectNotFound(tweetSubject(id));
  return { ...own, viewer: undefined };
}

async function viewOf(actor: ServerSession, uri: StrongRef['uri'], id: string) {
  const { posts } = await actor.about(tweetSubject(id))(getPosts, { params: { uris: [uri] as never } });
  return posts[0] ?? null;
}
