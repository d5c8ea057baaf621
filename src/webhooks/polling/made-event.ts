import { isMessageEvent, type PlatformEvent } from '../../shared/model/event.ts';
import { eventBody } from '../shared/event-body.ts';
import { packMessage } from '../shared/stored-event.ts';
import type { OpenedForWebhooks } from './poller-messages.ts';

/** An event as it is appended. */
export interface MadeEvent {
  id: string;
  type: string;
  /** What webhooks get. */
  body: string;
  kept: string;
  createdAt: number;
  /** The webhooks that may get it; `null`: all. */
  only: ReadonlySet<string> | null;
}

/** Characters in one append. MongoDB notes one as a whole first, in a document, which may have 16 MiB. */
export const mostAtOnce = 4 * 1024 * 1024;

/** In their order, none of them larger than one append may be unless a single event is. At least one, which may be empty. */
export function inParts<Event extends { sealed: string }>(events: readonly Event[]): Event[][] {
  let part: Event[] = [];
  let size = 0;
  const parts = [part];
  for (const event of events) {
    if (part.length > 0 && size + event.sealed.length > mostAtOnce) {
      part = [];
      parts.push(part);
      size = 0;
    }
    part.push(event);
    size += event.sealed.length;
  }
  return parts;
}

/** `opened`: of a message that a webhook's code has opened. */
export function makeEvent(id: string, event: PlatformEvent, opened: OpenedForWebhooks | undefined): MadeEvent {
  const { type } = event;
  const createdAt = Date.parse(event.createdAt);
  if (!isMessageEvent(event)) {
    const body = eventBody(id, event);
    return { id, type, body, kept: body, createdAt, only: null };
  }
  const kept = packMessage(opened?.body ?? null, event);
  return { id, type, body: opened?.body ?? '', kept, createdAt, only: opened?.webhooks ?? new Set() };
}
