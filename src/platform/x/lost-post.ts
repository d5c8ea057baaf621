import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ErrorReason } from '../../shared/errors/reasons.ts';
import { id, list, object, optional, text, type Wire } from '../http/wire.ts';
import { maxTextLength, mediaKeyOf, mediaKeysOf, referencesOf, timeOfId } from './read-post.ts';
import { readTweetUrl } from './tweet-url.ts';

/** A post as the caller wants it, and when the call began. */
export interface Wanted {
  text: string;
  replyTo: string | null;
  quoteOf: string | null;
  mediaIds: readonly string[];
  sinceMs: number;
}

/** The clocks of X and of this machine may differ by this. */
const toleranceMs = 5_000;

/** Failures after which the platform may have performed the request. */
const lost: ReadonlySet<ErrorReason> = new Set([
  'platform_unreachable',
  'platform_failed',
  'platform_unreadable',
  'platform_timeout',
  'proxy_failed',
  'proxy_unreadable',
  'proxy_timeout',
]);

/** Returns the post of a write whose answer was lost, if it is among the newest posts of the actor. */
export async function findLost(
  error: unknown,
  wanted: Wanted,
  newest: () => Promise<readonly Wire[]>,
): Promise<Wire | undefined> {
  if (!(error instanceof PosternError) || !lost.has(error.reason)) return undefined;
  const since = wanted.sinceMs - toleranceMs;
  try {
    return (await newest()).find((post) => timeOfId(id(post.id, 'id')) >= since && isPostOf(post, wanted));
  } catch {
    return undefined;
  }
}

const none: Wire = {};

/**
 * Returns true if a post has the text, the references and the media that it was created with. X replaces links, and adds links and
 * mentions.
 */
function isPostOf(post: Wire, { text: sent, replyTo, quoteOf, mediaIds }: Wanted): boolean {
  const { repliedTo, quoted } = referencesOf(post);
  const { text: found, entities } = optional(object, post.note_post ?? post.note_tweet, 'note_post', post);
  const links = optional(list, optional(object, entities, 'entities', none).urls, 'urls', []);
  const whole = links
    .map((each) => object(each, 'urls[]'))
    .reduce(
      (made, link) => {
        const expanded = optional(text, link.expanded_url, 'expanded_url', '');
        const isAdded = mediaKeyOf(link) !== null || (quoteOf !== null && readTweetUrl(expanded) === quoteOf);
        return made.replaceAll(text(link.url, 'url'), isAdded ? '' : expanded);
      },
      text(found, 'text', maxTextLength),
    );
  return (
    repliedTo === replyTo &&
    quoted === quoteOf &&
    haveIds(mediaKeysOf(post), mediaIds) &&
    isTextOf(comparable(whole), comparable(sent), replyTo !== null)
  );
}

/** A media key is the number of a kind, `_`, and the id of the media. Of keys in another form only the number is compared. */
function haveIds(keys: readonly string[], ids: readonly string[]): boolean {
  const found = keys.map((key) => /^\d+_(\d+)$/.exec(key)?.[1]);
  return found.length === ids.length && found.every((mediaId) => mediaId === undefined || ids.includes(mediaId));
}

/** X adds mentions to the beginning of a reply. */
function isTextOf(found: string, sent: string, isReply: boolean): boolean {
  if (found === sent) return true;
  const added = sent === '' ? `${found} ` : found.slice(0, found.length - sent.length);
  return isReply && found.endsWith(sent) && /^(?:@\w+ )+$/.test(added);
}

/** Removes what X changes in a text: escapes, schemes of links, and white space. */
function comparable(words: string): string {
  const plain = words.normalize('NFC').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return plain
    .replace(/https?:\/\//gi, '')
    .replace(/\s+/g, ' ')
    .trim();
}
