import { malformedField } from '../../errors/fields.ts';
import type { MediaDesk, MediaSource } from '../../media/desk.ts';
import { picturesIn, withMedia } from '../../model/rich-text/pictures.ts';
import type { RichText } from '../../model/rich-text/rich-text.ts';
import type { TakenMedia } from '../../model/taken-media.ts';
import type { PlatformSession } from '../../platform/port.ts';
import { mediaSource } from '../media-input.ts';
import type { ArticleFields } from './input.ts';

/** What an article is to become; what is left out stays as it is. */
export interface Edits {
  readonly title?: string;
  readonly content?: RichText;
  readonly coverMediaId?: string;
}

interface Call {
  platform: PlatformSession;
  media: MediaDesk;
}

type Field = 'cover_image_url' | 'cover_image_base64' | `content image ${number}`;

/**
 * Fetches and uploads the pictures that the fields name, so that whatever is wrong with one is known before the article is
 * touched. All are taken in before the first is uploaded.
 */
export async function takeEdits(call: Call, fields: ArticleFields): Promise<Edits> {
  const { title, content } = fields;
  const wanted = new Map<string, { source: MediaSource; field: Field }>();
  const ids = new Map<string, string>();
  for (const url of content === undefined ? [] : picturesIn(content)) {
    const known = call.platform.articles.mediaAt(url);
    if (known === null) wanted.set(url, { source: sourceOf(url), field: `content image ${wanted.size + 1}` });
    else ids.set(url, known);
  }
  const cover = coverOf(fields);
  if (cover !== undefined) wanted.set(coverKey, cover);
  const given = fields.cover_media_id;
  const own = new Map([...ids.values()].map((id) => [id, 'content']));
  if (given !== undefined) own.set(given, 'cover_media_id');
  for (const [id, field] of own) {
    if (await call.platform.articles.isPicture(id)) continue;
    throw malformedField(field, `${id} is a video: an article shows pictures only`);
  }
  for (const [key, id] of await upload(call, wanted)) ids.set(key, id);
  const coverMediaId = given ?? ids.get(coverKey);
  return {
    ...(title !== undefined && { title }),
    ...(content !== undefined && { content: withMedia(content, ids) }),
    ...(coverMediaId !== undefined && { coverMediaId }),
  };
}

/** No address is empty. */
const coverKey = '';

function coverOf({ cover_image_url: url, cover_image_base64: data }: ArticleFields) {
  if (url === undefined && data === undefined) return undefined;
  const field = data === undefined ? 'cover_image_url' : 'cover_image_base64';
  return { source: mediaSource(url, data), field } as const;
}

function sourceOf(url: string): MediaSource {
  return /^data:/i.test(url) ? mediaSource(undefined, url) : mediaSource(url, undefined);
}

async function upload(
  { platform, media }: Call,
  wanted: ReadonlyMap<string, { source: MediaSource; field: Field }>,
): Promise<[key: string, id: string][]> {
  const taking = [...wanted].map(async ([key, { source, field }]): Promise<[string, TakenMedia]> => {
    return [key, await media.take(source, { field, kinds: field.startsWith('cover') ? ['photo'] : ['photo', 'gif'] })];
  });
  // All of them are waited for, so that none is left behind.
  const settled = await Promise.allSettled(taking);
  const taken = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  try {
    for (const each of settled) if (each.status === 'rejected') throw each.reason;
    const uploaded: [string, string][] = [];
    // One after the other, so that a request that is sent again has the same tokens for the same pictures.
    for (const [key, each] of taken) uploaded.push([key, await platform.media.upload(each)]);
    return uploaded;
  } finally {
    for (const [, each] of taken) await each.discard();
  }
}
