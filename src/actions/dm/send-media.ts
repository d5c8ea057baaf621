import { z } from 'zod';
import { examplePng, keepMetadata, mediaData, mediaSource, mediaUrl } from '../../media/media-input.ts';
import {
  filename as attachmentName,
  attachmentSize,
  attachmentType,
  conversationId,
  mediaHashKey,
  messageId,
} from '../../shared/model/direct-message.ts';
import type { MediaKind } from '../../shared/model/taken-media.ts';
import { platformAction } from '../action.ts';
import { oneOf } from '../input/input.ts';
import { exampleConversation, inConversation, messageText, ok, sentText } from './fields.ts';

/**
 * Maps each type of attachment (docs/direct-messages.md, Writing) to the kinds of media that it accepts. The type
 * `file` accepts all kinds.
 */
const kindsOf: Readonly<Record<MediaType, readonly MediaKind[]>> = {
  1: ['photo'],
  2: ['gif'],
  3: ['video'],
  4: ['audio'],
  5: ['file'],
  6: ['svg'],
};

type MediaType = 1 | 2 | 3 | 4 | 5 | 6;

/** The default file name for each type of attachment. */
const nameOf: Readonly<Record<MediaType, string>> = {
  1: 'image',
  2: 'animation',
  3: 'video',
  4: 'audio',
  5: 'file',
  6: 'image',
};

const notAType = 'must be a whole number from 1 to 6';

const mostPixels = 65_535;
const pixels = z.int().min(1, 'must be at least 1').max(mostPixels, `must be at most ${mostPixels}`);

export const dmSendMedia = platformAction({
  name: 'dm/send_media',
  method: 'POST',
  summary: 'Send an attachment, end-to-end encrypted',
  description:
    'The file is encrypted before it is sent to the platform. Its bytes must be of the `type`: 1 image, 2 GIF, 3 video, ' +
    '4 audio, 5 file (any), 6 SVG. The conversation must exist.',
  code: 'required',
  takesBase64: true,
  input: z
    .object({
      conversation_id: inConversation,
      image_url: mediaUrl.optional().meta({ description: 'URL of the file.' }),
      image_base64: mediaData.optional().meta({ description: 'The file as base64, with or without a data: prefix.' }),
      text: messageText.optional().meta({ description: 'Caption.' }),
      type: z
        .int(notAType)
        .min(1, notAType)
        .max(6, notAType)
        .default(1)
        .meta({ description: '1 image (if left out), 2 GIF, 3 video, 4 audio, 5 file, 6 SVG.', examples: [1] }),
      filename: z
        .string()
        .min(1)
        .max(255, { error: 'must be at most 255 characters', abort: true })
        .refine((name) => name.isWellFormed() && !/[\p{Cc}/\\]/u.test(name), 'must be a name without a path')
        .optional()
        .meta({
          description: 'Name of the file; made from the type if left out.',
          pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f/\\\\]+$',
          examples: ['harbour.png'],
        }),
      width: pixels
        .optional()
        .meta({ description: 'Width in pixels; read from the bytes if left out.', examples: [1200] }),
      height: pixels
        .optional()
        .meta({ description: 'Height in pixels; read from the bytes if left out.', examples: [800] }),
      keep_metadata: keepMetadata,
    })
    .check(oneOf('image_url', 'image_base64')),
  example: { conversation_id: exampleConversation, image_base64: examplePng, text: 'One pixel of the harbour.' },
  output: z.object({
    ok,
    message_id: messageId,
    conversation_id: conversationId,
    media_hash_key: mediaHashKey,
    filename: attachmentName,
    type: attachmentType,
    size: attachmentSize,
    text: sentText,
  }),
  async run({ messages, media }, input) {
    const { conversation_id, image_url: url, image_base64: data, text = '' } = input;
    const type = input.type as MediaType;
    const field = data === undefined ? 'image_url' : 'image_base64';
    const rules = { field, kinds: kindsOf[type], keepMetadata: input.keep_metadata };
    const taken = await media.take(mediaSource(url, data), rules);
    try {
      const filename = input.filename ?? `${nameOf[type]}.${extensionOf(taken.type)}`;
      const attachment = {
        media: taken,
        type,
        filename,
        width: input.width ?? taken.width,
        height: input.height ?? taken.height,
      };
      const sent = await messages.sendMedia(conversation_id, text, attachment);
      return {
        ok: true,
        message_id: sent.messageId,
        conversation_id: sent.conversationId,
        media_hash_key: sent.mediaHashKey,
        filename,
        type,
        size: taken.size,
        text,
      };
    } finally {
      await taken.discard();
    }
  },
});

/** Returns a file name extension for a media type, such as `svg` for `image/svg+xml`. */
function extensionOf(mime: string): string {
  const subtype = /^[\w.+-]+\/(?:x-)?(\w+)/.exec(mime)?.[1] ?? '';
  return { jpeg: 'jpg', mpeg: 'mp3', quicktime: 'mov', plain: 'txt', octet: 'bin' }[subtype] ?? (subtype || 'bin');
}
