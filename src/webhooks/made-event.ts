import { isMessageEvent, type PlatformEvent } from '../model/event.ts';
import { eventBody } from './event-body.ts';
import type { OpenedForWebhooks } from './poller-messages.ts';
import { packMessage } from './stored-event.ts';

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
