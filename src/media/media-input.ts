import { z } from 'zod';
import type { MediaSource } from './media-uploader.ts';
import { ReceivedFile } from './received-file.ts';

/** The maximum length of a media URL. */
const maxUrlLength = 2_048;

export const mediaUrl = z
  .string()
  .max(maxUrlLength, { error: `must be at most ${maxUrlLength} characters`, abort: true })
  .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\//, 'must be a URL with http:// or https://')
  .meta({ pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\x00]*$', examples: ['https://pictures.example/harbour.jpg'] });

/** A PNG with one transparent pixel, in base64. */
export const examplePng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/**
 * The schema of media in base64. APIs that accept file uploads pass a `ReceivedFile` instead of the text, which this
 * JSON schema does not describe.
 */
export const mediaData = z
  .custom<string | ReceivedFile>((value) => typeof value === 'string' || value instanceof ReceivedFile, {
    message: 'must be a string',
  })
  .meta({ type: 'string', minLength: 1, examples: [examplePng] });

export const mediaType = z
  .string()
  .regex(
    /^[A-Za-z0-9_.+-]{1,100}\/[A-Za-z0-9_.+-]{1,100} *(?:;[^\r\n]{0,200})?$/,
    'must be a MIME type such as image/jpeg',
  )
  .meta({
    pattern: '^[A-Za-z0-9_.+-]{1,100}/[A-Za-z0-9_.+-]{1,100} *(?:;[^\\x00\\r\\n]{0,200})?$',
    examples: ['image/png'],
  });

export const keepMetadata = z.boolean().default(false).meta({
  description: 'True to keep the metadata of pictures, such as position and camera, which is removed otherwise.',
});

/** Returns the media in an action's input: an uploaded file, base64 or a URL. */
export function mediaSource(
  url: string | undefined,
  data: string | ReceivedFile | undefined,
  declaredType: string | null = null,
): MediaSource {
  if (data instanceof ReceivedFile) return { file: data, declaredType };
  return data === undefined ? { url: url ?? '', declaredType } : { base64: data, declaredType };
}
