import type { MessageEvent } from '../../shared/model/event.ts';

/**
 * What is kept of an event. Of messages that is what the platform carries, still sealed to their readers, for streams that
 * open it with a code of their own; and the body, where a webhook's code has opened it.
 */
export interface StoredEvent {
  body: string | null;
  message: MessageEvent | null;
}

/** Bodies are JSON objects, so none begins like this. */
const mark = 'message ';

export function packMessage(body: string | null, message: MessageEvent): string {
  return mark + JSON.stringify({ body, message });
}

export function unpackEvent(text: string): StoredEvent {
  return text.startsWith(mark) ? (JSON.parse(text.slice(mark.length)) as StoredEvent) : { body: text, message: null };
}

/** Kept among a poller's events, in their order, for live streams; no webhook gets it. */
export const gapType = 'gap';

/** Says that events before it are missing. */
export function gapEvent(id: string) {
  return { id, type: gapType, body: JSON.stringify({ reason: 'The platform did not keep all that happened' }) };
}

export function readGap(body: string): string {
  return (JSON.parse(body) as { reason: string }).reason;
}
