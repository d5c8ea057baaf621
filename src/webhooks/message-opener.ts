import type { MessageEvent } from '../model/event.ts';
import type { PollerCredentials } from './secrets.ts';

/** Whose messages, and the code that opens them. */
export interface Opening {
  account: string;
  credentials: PollerCredentials;
  code: string;
}

/** What an event says, once it is open. Empty where `undecryptable` says why it does not open. */
export interface OpenedMessage {
  text: string;
  emoji: string;
  undecryptable: string | null;
}

/** Opens messages with the code of one webhook or stream alone. Both throw as the recovery of chat keys does. */
export interface MessageOpener {
  check(opening: Opening): Promise<void>;
  /** One for each event; `null` for one that is a repetition of another, to be ignored. */
  open(opening: Opening, events: readonly MessageEvent[]): Promise<(OpenedMessage | null)[]>;
}
