import type { Post } from '../dataset/timelines.ts';
import type { User } from '../dataset/types.ts';
import { badRequest } from '../refusal.ts';

interface Vocabulary {
  /** The name of the parameter with the fields of posts. */
  readonly postFields: string;
  /** Maps names of the newer vocabulary to those of this one, if they differ. */
  readonly names: Readonly<Record<string, string>>;
  /** The values of each query parameter, and the name of each value in the newer vocabulary. */
  readonly values: Readonly<Record<string, ReadonlyMap<string, string>>>;
  readonly expansions: Readonly<Record<Kind, ReadonlyMap<string, string>>>;
}

export type Kind = 'posts' | 'users';

/** What a request asks for, in the names of the newer vocabulary. */
export interface Selection {
  /** Returns the name in the vocabulary of the request. */
  as(name: string): string;
  readonly user: ReadonlySet<string>;
  readonly post: ReadonlySet<string>;
  readonly media: ReadonlySet<string>;
  readonly expansions: ReadonlySet<string>;
  /** True if the request asks for the extensions of the sandbox. */
  readonly extended: boolean;
  /** The JSON text of the selected fields that cannot change. */
  readonly heads: WeakMap<User | Post, string>;
}

const words = (text: string) => text.trim().split(/\s+/);
const asIs = (text: string) => words(text).map((name) => [name, name] as const);

const userFields =
  'confirmed_email connection_status created_at description entities id is_identity_verified location name parody profile_banner_url ' +
  'profile_image_url protected public_metrics receives_your_dm subscribes_to_you subscription subscription_type url username verified ' +
  'verified_followers_count verified_type withheld';
const postFields =
  'article article_title attachments card_uri community_id context_annotations conversation_id created_at display_text_range ' +
  'edit_controls entities geo id lang matched_media_notes media_metadata non_public_metrics note_request_suggestions organic_metrics ' +
  'paid_partnership possibly_sensitive promoted_metrics public_metrics reply_settings scopes source suggested_source_links ' +
  'suggested_source_links_with_counts text withheld';
const postExpansions =
  'article.cover_media article.media_entities attachments.media_keys attachments.media_source_tweet attachments.poll_ids author_id ' +
  'entities.mentions.username geo.place_id in_reply_to_user_id';
const others = {
  'media.fields': new Map(
    asIs(
      'alt_text duration_ms height media_key non_public_metrics organic_metrics preview_image_url promoted_metrics public_metrics type ' +
        'url variants width',
    ),
  ),
  'poll.fields': new Map(asIs('duration_minutes end_datetime id options voting_status')),
  'place.fields': new Map(asIs('contained_within country country_code full_name geo id name place_type')),
};

/*
 * X has two vocabularies and answers each request in its own. The newer one is that of its OpenAPI document since 7 August 2026.
 */
const newer: Vocabulary = {
  postFields: 'post.fields',
  names: {},
  values: {
    ...others,
    'user.fields': new Map(asIs(userFields)),
    'post.fields': new Map(asIs(`${postFields} note_post`)),
  },
  expansions: {
    posts: new Map(asIs(`${postExpansions} edit_history_post_ids referenced_posts username`)),
    users: new Map(asIs('affiliation most_recent_post_id pinned_post_id')),
  },
};

const older: Vocabulary = {
  postFields: 'tweet.fields',
  names: {
    edit_history_post_ids: 'edit_history_tweet_ids',
    most_recent_post_id: 'most_recent_tweet_id',
    note_post: 'note_tweet',
    pinned_post_id: 'pinned_tweet_id',
    pinned_post_ids: 'pinned_tweet_ids',
    post_count: 'tweet_count',
    posts: 'tweets',
    referenced_posts: 'referenced_tweets',
    repost_count: 'retweet_count',
  },
  values: {
    ...others,
    'user.fields': new Map([
      ...asIs(`${userFields} affiliation`),
      ['most_recent_tweet_id', 'most_recent_post_id'],
      ['pinned_tweet_id', 'pinned_post_id'],
    ]),
    'tweet.fields': new Map([
      ...asIs(`${postFields} author_id in_reply_to_user_id username`),
      ['note_tweet', 'note_post'],
      ['edit_history_tweet_ids', 'edit_history_post_ids'],
      ['referenced_tweets', 'referenced_posts'],
    ]),
  },
  expansions: {
    posts: new Map([
      ...asIs(`${postExpansions} author_screen_name entities.note.mentions.username`),
      ['edit_history_tweet_ids', 'edit_history_post_ids'],
      ['referenced_tweets.id', 'referenced_posts'],
      ['referenced_tweets.id.author_id', 'referenced_posts.author_id'],
      ['referenced_tweets.id.attachments.media_keys', 'referenced_posts.attachments.media_keys'],
    ]),
    users: new Map([
      ['affiliation.user_id', 'affiliation'],
      ['most_recent_tweet_id', 'most_recent_post_id'],
      ['pinned_tweet_id', 'pinned_post_id'],
    ]),
  },
};

const common = ['expansions', 'user.fields', 'post.fields', 'tweet.fields'];
export const selectionParameters: Readonly<Record<Kind, readonly string[]>> = {
  posts: [...common, ...Object.keys(others)],
  users: common,
};

const selections = new Map<string, Selection>();
const maxSelections = 200;

/** Reads the fields and expansions of a request. They are kept, so that clients do not wait for the parser on each call. */
export function selectionOf(query: URLSearchParams, kind: Kind, extended: boolean): Selection {
  const given = selectionParameters[kind].flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const key = JSON.stringify([kind, extended, given]);
  let selection = selections.get(key);
  if (selection === undefined) {
    selection = read(new Map(given), kind, extended);
    if (selections.size >= maxSelections) selections.clear();
    selections.set(key, selection);
  }
  return selection;
}

function read(given: ReadonlyMap<string, string>, kind: Kind, extended: boolean): Selection {
  const first = given.has('tweet.fields') ? older : newer;
  const found = choose(first, given, kind);
  if (typeof found !== 'string') return { ...found, extended, heads: new WeakMap() };
  const isDecided = given.has('tweet.fields') || given.has('post.fields');
  const second = isDecided ? found : choose(older, given, kind);
  if (typeof second !== 'string') return { ...second, extended, heads: new WeakMap() };
  throw badRequest(found, `The value of ${found} is unknown, or it belongs to another vocabulary than the others`);
}

/** Returns the selection in a vocabulary, or the name of a parameter that does not belong to it. */
function choose(
  { postFields, names, values, expansions }: Vocabulary,
  given: ReadonlyMap<string, string>,
  kind: Kind,
): Omit<Selection, 'extended' | 'heads'> | string {
  const read = new Map<string, string[]>();
  for (const [parameter, text] of given) {
    const known = parameter === 'expansions' ? expansions[kind] : values[parameter];
    const chosen = text.split(',').map((name) => known?.get(name));
    const found = chosen.filter((name) => name !== undefined);
    if (found.length < chosen.length) return parameter;
    read.set(parameter, found);
  }
  const expanded = read.get('expansions') ?? [];
  // An expansion also adds the field that it expands.
  const also = expanded.map((name) => name.split('.')[0] ?? '');
  return {
    as: (name) => names[name] ?? name,
    user: new Set([...(read.get('user.fields') ?? []), ...also]),
    post: new Set([
      ...(read.get(postFields) ?? []),
      ...also,
      ...(postFields === 'tweet.fields' ? ['edit_history_post_ids'] : []),
    ]),
    media: new Set(read.get('media.fields')),
    expansions: new Set(expanded),
  };
}
