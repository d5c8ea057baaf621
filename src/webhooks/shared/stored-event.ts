import { isMessageEvent, type MessageEvent, type PlatformEvent } from '../../shared/model/event.ts';
import { eventBody } from './event-body.ts';

/**
 * The stored form of an event. Of a message it is the platform's ciphertext, which streams open with their own code, and
 * the body, if the code of a webhook has opened it.
 */
export interface StoredEvent {
  body: string | null;
  message: MessageEvent | null;
}

/** Bodies are JSON objects, so none starts with this prefix. */
const messagePrefix = 'message ';

export function packMessage(body: string | null, message: MessageEvent): string {
  return messagePrefix + JSON.stringify({ body, message });
}

export function unpackEvent(text: string): StoredEvent {
  return text.startsWith(messagePrefix)
    ? (JSON.parse(text.slice(messagePrefix.length)) as StoredEvent)
    : { body: text, message: null };
}

/** A message that was opened with the codes of some webhooks. */
export interface OpenedForWebhooks {
  body: string;
  /** The webhooks whose own code opened it. */
  webhooks: ReadonlySet<string>;
}

/** An event of the platform before it is appended. */
export interface NewEvent {
  id: string;
  type: string;
  /** The body that webhooks receive. */
  body: string;
  /** What is sealed and stored; `unpackEvent` reads it. */
  kept: string;
  createdAt: number;
  /** The webhooks that may receive it; `null`: all. */
  only: ReadonlySet<string> | null;
}

/** `opened`: for a message that the code of a webhook has opened. */
export function newEvent(id: string, event: PlatformEvent, opened: OpenedForWebhooks | undefined): NewEvent {
  const { type } = event;
  const createdAt = Date.parse(event.createdAt);
  if (!isMessageEvent(event)) {
    const body = eventBody(id, event);
    return { id, type, body, kept: body, createdAt, only: null };
  }
  const kept = packMessage(opened?.body ?? null, event);
  return { id, type, body: opened?.body ?? '', kept, createdAt, only: opened?.webhooks ?? new Set() };
}

/** The type of a stored event that tells live streams that earlier events are missing. No webhook receives it. */
export const gapType = 'gap';

export function gapEvent(id: string): Pick<NewEvent, 'id' | 'type' | 'kept'> {
  return { id, type: gapType, kept: JSON.stringify({ reason: 'The platform did not keep all that happened' }) };
}

export function readGap(kept: string): string {
  return (JSON.parse(kept) as { reason: string }).reason;
}

/** Characters in one append. MongoDB first writes an append into one document, which may have 16 MiB. */
export const maxAppendChars = 4 * 1024 * 1024;

/**
 * Splits events, in their order, into parts that fit one append. A single larger event is a part of its own. There is at
 * least one part, which may be empty.
 */
export function splitForAppend<Event extends { sealed: string }>(events: readonly Event[]): Event[][] {
  let part: Event[] = [];
  let size = 0;
  const parts = [part];
  for (const event of events) {
    if (part.length > 0 && size + event.sealed.length > maxAppendChars) {
      part = [];
      parts.push(part);
      size = 0;
    }
    part.push(event);
    size += event.sealed.length;
  }
  return parts;
}
