import { PosternError } from '../../shared/errors/postern-error.ts';
import type { AttachmentView } from '../../shared/model/direct-message.ts';
import type { MessageEvent } from '../../shared/model/event.ts';
import type { PollerCredentials } from './secrets.ts';

/** Whose messages, and the code that opens them. */
export interface Opening {
  account: string;
  credentials: PollerCredentials;
  code: string;
}

/** The content of an opened event. If the event cannot be opened, `undecryptable` is the reason and the rest is empty. */
export interface OpenedMessage {
  text: string;
  emoji: string;
  /** Of a message that has an attachment, as its sender describes it. */
  attachment: Pick<AttachmentView, 'type' | 'filename' | 'size'> | null;
  undecryptable: string | null;
}

/** Opens messages with the code of one webhook or stream alone. Both throw as the recovery of chat keys does. */
export interface MessageOpener {
  check(opening: Opening): Promise<void>;
  /** One for each event; `null` for one that is a repetition of another, to be ignored. */
  open(opening: Opening, events: readonly MessageEvent[]): Promise<(OpenedMessage | null)[]>;
}

/** Errors of the code itself: it is wrong, it has no guesses left, or the account has no keys. A retry gives the same error. */
const refusals = new Set(['forbidden', 'locked', 'conflict', 'bad_input', 'not_supported']);

/** Whether opening again would give the same error. */
export function isFinal(error: unknown): boolean {
  return !(error instanceof PosternError) || refusals.has(error.code);
}

/** Whether the code was refused. If the platform refuses the token, that says nothing about the code. */
export function isCodeRefusal(error: unknown): error is PosternError {
  if (!(error instanceof PosternError) || error.reason === 'auth_token_rejected') return false;
  return refusals.has(error.code);
}
