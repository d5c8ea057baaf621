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
