import { type EventType, isMessageType } from '../shared/model/event.ts';
import type { MediaKind } from '../shared/model/taken-media.ts';

/**
 * What a platform supports. Each adapter declares it as a constant. The refusals with 501, `GET /v1/capabilities` and
 * docs/platforms.md derive from it.
 */
export interface PlatformCapabilities {
  /** The kind of platform, such as `sandbox`. */
  readonly kind: string;
  /** The reason for each action that the platform does not support. All other actions are supported. */
  readonly unsupported: Readonly<Record<string, string>>;
  /** The types of events that the platform reports. */
  readonly eventTypes: readonly EventType[];
  readonly limits: PlatformLimits;
}

export interface PlatformLimits {
  readonly text: TextLimit;
  /** The maximum size of each accepted kind of media in bytes. */
  readonly mediaBytes: MediaLimits;
}

export type MediaLimits = Readonly<Partial<Record<MediaKind, number>>>;

/** The maximum length of a tweet. The platform checks it. */
export interface TextLimit {
  /** `weighted_characters` counts like twitter-text. `graphemes` counts the characters that a reader sees. */
  readonly unit: 'weighted_characters' | 'graphemes';
  readonly length: number;
  /** The maximum length for a premium account. `null` if the platform has no such accounts. */
  readonly premiumLength: number | null;
  /** The maximum size in bytes of UTF-8. `null` if only the length counts. */
  readonly bytes: number | null;
}

/** Returns `unsupported` entries for several actions with the same reason. */
export function because(reason: string, ...actions: readonly string[]): Record<string, string> {
  return Object.fromEntries(actions.map((action) => [action, reason]));
}

/** The actions on direct messages. */
export const messageActions = [
  'dm/list',
  'dm/messages',
  'dm/send',
  'dm/send_media',
  'dm/edit',
  'dm/delete',
  'dm/react',
  'dm/unreact',
  'dm/enroll',
];

export const messagesOff = 'The operator has turned direct messages off';

/** Returns the capabilities of a platform whose direct messages the operator has turned off (MESSAGES=0). */
export function withoutMessages({ unsupported, eventTypes, ...others }: PlatformCapabilities): PlatformCapabilities {
  const types = eventTypes.filter((type) => !isMessageType(type));
  const events = types.length === 0 ? ['webhooks/create', 'events/token', 'events'] : [];
  return {
    ...others,
    unsupported: { ...unsupported, ...because(messagesOff, ...messageActions, ...events) },
    eventTypes: types,
  };
}
