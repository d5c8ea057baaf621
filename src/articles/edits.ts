import { mediaSource } from '../media/media-input.ts';
import type { MediaSource, MediaUploader, UploadRules } from '../media/media-uploader.ts';
import { type MediaRequest, withMedia } from '../media/take-media.ts';
import type { ArticleEdits, PlatformSession } from '../platform/port.ts';
import { malformedField } from '../shared/errors/fields.ts';
import type { RichTextJson } from '../shared/rich-text/rich-text.ts';
import type { TaskRunner } from '../shared/threads/task.ts';
import { contentTasks, type ParsedContent } from './content-tasks.ts';
import type { CheckedFields } from './input.ts';

interface Call {
  platform: PlatformSession;
  media: MediaUploader;
  tasks: TaskRunner;
}

/**
 * Downloads and uploads the images named in the fields. This happens before the article is changed, so that an invalid
 * image changes nothing. All images are downloaded before the first is uploaded.
 */
export async function prepareEdits(call: Call, fields: CheckedFields): Promise<ArticleEdits> {
  const { title, content } = fields;
  const wanted = new Map<string, MediaRequest>();
  const ids = new Map<string, string>();
  for (const [at, url] of (content?.pictures ?? []).entries()) {
    const known = call.platform.articles.mediaAt(url);
    if (known !== null) ids.set(url, known);
    else wanted.set(url, { source: sourceOf(url), rules: pictureRules(at + 1) });
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
  const coverId = given ?? ids.get(coverKey);
  return {
    ...(title !== undefined && { title }),
    ...(content !== undefined && { content: { richText: await withMediaIds(content, ids, call.tasks) } }),
    ...(coverId !== undefined && { cover: coverId }),
  };
}

async function withMediaIds(
  { text, pictures }: ParsedContent,
  mediaIds: ReadonlyMap<string, string>,
  tasks: TaskRunner,
): Promise<RichTextJson> {
  return pictures.length === 0 ? text : tasks.run(contentTasks.placeMedia, { text, mediaIds });
}

/** The map key of the cover. It cannot be the URL of an image, because URLs are not empty. */
const coverKey = '';

function coverOf({ cover_image_url: url, cover_image_base64: data }: CheckedFields): MediaRequest | undefined {
  if (url === undefined && data === undefined) return undefined;
  const field = data === undefined ? 'cover_image_url' : 'cover_image_base64';
  return { source: mediaSource(url, data), rules: { field, kinds: ['photo'] } };
}

function pictureRules(number: number): UploadRules {
  return { field: `content: image ${number}`, kinds: ['photo', 'gif'] };
}

function sourceOf(url: string): MediaSource {
  return /^data:/i.test(url) ? mediaSource(undefined, url) : mediaSource(url, undefined);
}

/** Uploads images. Returns the media id of each by its URL, or by `coverKey` for the cover. */
function upload(
  { platform, media }: Call,
  wanted: ReadonlyMap<string, MediaRequest>,
): Promise<[key: string, id: string][]> {
  const keys = [...wanted.keys()];
  return withMedia(media, [...wanted.values()], async (taken) => {
    const uploaded: [string, string][] = [];
    // Upload one image after the other, so that a repeated request uses the same idempotency token for each image.
    for (const [at, each] of taken.entries()) uploaded.push([keys[at] ?? '', await platform.media.upload(each)]);
    return uploaded;
  });
}
