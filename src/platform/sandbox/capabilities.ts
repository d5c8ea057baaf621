import { eventTypes } from '../../shared/model/event.ts';
import type { PlatformCapabilities } from '../capabilities.ts';

const MiB = 1024 * 1024;

/** The sandbox supports every action. Audio, SVG and other files can be sent in messages only (docs/rest.md, Media). */
export const sandboxCapabilities: PlatformCapabilities = {
  kind: 'sandbox',
  unsupported: {},
  eventTypes,
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
};
