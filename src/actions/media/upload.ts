import { z } from 'zod';
import { declaresType } from '../../media/base64.ts';
import { examplePng, keepMetadata, mediaData, mediaSource, mediaType, mediaUrl } from '../../media/media-input.ts';
import { count, numericId } from '../../shared/model/scalars.ts';
import { platformAction } from '../action.ts';
import { missing, oneOf } from '../input/input.ts';

export const uploadMedia = platformAction({
  name: 'media/upload',
  method: 'POST',
  summary: 'Upload a picture or a video to attach',
  description:
    'JPEG, PNG and WebP up to 5 MiB, GIF up to 15 MiB, MP4 and QuickTime up to 512 MiB; at most 8,192 pixels a side. The ' +
    'type is detected from the bytes and must match the declared type. An address is fetched through `proxy`, if given, ' +
    'with at most 5 redirects. Media that is not attached within 24 hours expires.',
  takesBase64: true,
  input: z
    .object({
      media_url: mediaUrl.optional().meta({ description: 'URL of the file.' }),
      media_data: mediaData.optional().meta({
        description: 'The file as base64, or as a data: URI of base64.',
        examples: [`data:image/png;base64,${examplePng}`],
      }),
      media_type: mediaType.optional().meta({
        description: 'MIME type of the file. Required with `media_data`, unless that is a data: URI.',
      }),
      keep_metadata: keepMetadata,
    })
    .check(oneOf('media_url', 'media_data'))
    .check(({ value, issues }) => {
      const { media_data: data, media_type: type } = value;
      if (typeof data !== 'string' || type !== undefined || declaresType(data)) return;
      issues.push(missing(['media_type'], value));
    }),
  example: { media_data: examplePng, media_type: 'image/png' },
  output: z.object({
    media_id: numericId.meta({ description: 'Id of the media, for the same actor to attach.' }),
    media_type: z.string().meta({ description: 'MIME type, detected from the bytes.', examples: ['image/png'] }),
    size: count.meta({ description: 'Size in bytes, after metadata was removed.' }),
  }),
  async run({ platform, media }, input) {
    const { media_url: url, media_data: data, media_type: declaredType } = input;
    const field = data === undefined ? 'media_url' : 'media_data';
    const taken = await media.take(mediaSource(url, data, declaredType), {
      field,
      kinds: ['photo', 'gif', 'video'],
      keepMetadata: input.keep_metadata,
    });
    try {
      return { media_id: await platform.media.upload(taken), media_type: taken.type, size: taken.size };
    } finally {
      await taken.discard();
    }
  },
});
