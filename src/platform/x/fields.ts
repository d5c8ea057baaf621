import type { PlatformNeeds } from '../port.ts';
import type { XFeatures } from './features.ts';
import type { PriceClass } from './operations.ts';

/** The field parameters of a request, as query text. */
export interface Fields<Class extends PriceClass> {
  readonly of: Class;
  readonly text: string;
}

export const userFieldNames =
  'created_at,description,entities,is_identity_verified,location,profile_banner_url,profile_image_url,protected,public_metrics,receives_your_dm,url,verified_type';
const ofMedia = 'duration_ms,height,media_key,preview_image_url,type,url,variants,width';
const ofPost = 'article,conversation_id,created_at,entities,lang,note_post,public_metrics,source';

export const allNeeds: PlatformNeeds = { author: true, quoted: true, mentionNames: true, media: true, pinned: true };

const postFields = new Map<number, Fields<'post'>>();

/**
 * Returns the fields of posts that a call needs. X bills the objects of each expansion. The texts are built once, because they are part of
 * each request. `reposts` is true for lists that contain reposts, which are found only by their references.
 */
export function fieldsOfPosts(needs: PlatformNeeds, { extensions }: XFeatures, reposts = false): Fields<'post'> {
  const { author, quoted, mentionNames, media } = needs;
  const references = quoted || reposts;
  // The sandbox's extensions have the names of mentioned users beside the mentions.
  const names = mentionNames && !extensions;
  const key = [author, quoted, references, names, media].reduce((bits, on) => bits * 2 + Number(on), 0);
  const known = postFields.get(key);
  if (known) return known;
  const expansions = [
    ...(author ? ['author_id'] : []),
    ...(references ? ['referenced_posts'] : []),
    ...(quoted ? ['in_reply_to_user_id'] : []),
    ...(media ? ['attachments.media_keys'] : []),
    ...(names ? ['entities.mentions.username'] : []),
  ];
  const text = queryOf({
    'post.fields': media ? `attachments,${ofPost}` : ofPost,
    expansions: expansions.join(','),
    'user.fields': author ? userFieldNames : '',
    'media.fields': media ? ofMedia : '',
  });
  const fields: Fields<'post'> = { of: 'post', text };
  postFields.set(key, fields);
  return fields;
}

/** The fields of users. X may bill a pinned post. */
export const cardFields: Fields<'user'> = { of: 'user', text: queryOf({ 'user.fields': userFieldNames }) };
export const pinnedFields: Fields<'user'> = {
  of: 'user',
  text: queryOf({ 'user.fields': userFieldNames, expansions: 'pinned_post_id' }),
};
/** The fields that decide who may publish articles. */
export const subscriptionFields: Fields<'user'> = {
  of: 'user',
  text: queryOf({ 'user.fields': 'subscription_type,verified_type' }),
};
export const articleFields: Fields<'post'> = { of: 'post', text: queryOf({ 'post.fields': 'article,created_at' }) };
export const protectedFields: Fields<'user'> = { of: 'user', text: queryOf({ 'user.fields': 'protected' }) };
/** The fields by which a post is recognized. */
export const referenceFields: Fields<'post'> = {
  of: 'post',
  text: queryOf({ 'post.fields': 'attachments,entities,note_post', expansions: 'referenced_posts' }),
};
/** Only the fields that X always sends: id, name and username, or id and text. */
export const leastFields = { user: { of: 'user', text: '' }, post: { of: 'post', text: '' } } as const;

function queryOf(fields: Record<string, string>): string {
  const given = Object.entries(fields).filter(([, names]) => names !== '');
  return given.map(([name, names]) => `${name}=${names}`).join('&');
}
