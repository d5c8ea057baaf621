import { eventTypes, isMessageType } from '../../shared/model/event.ts';
import { because, type PlatformCapabilities } from '../capabilities.ts';

const MiB = 1024 * 1024;
const missing = "X's API has no such operation";

/** Audio, SVG and other files can be sent in messages only (docs/rest.md, Media). */
export const xCapabilities = {
  kind: 'x',
  unsupported: because(
    missing,
    'user/followers_you_know',
    'article/list',
    'article/update',
    'article/unpublish',
    'article/delete',
  ),
  eventTypes: eventTypes.filter(isMessageType),
  limits: {
    text: { unit: 'weighted_characters', length: 280, premiumLength: 25_000, bytes: null },
    mediaBytes: {
      photo: 5 * MiB,
      gif: 15 * MiB,
      video: 512 * MiB,
      audio: 25 * MiB,
      svg: 1 * MiB,
      file: 25 * MiB,
    },
  },
} satisfies PlatformCapabilities;
