import { PosternError } from '../../shared/errors/postern-error.ts';
import type { AttachmentView } from '../../shared/model/direct-message.ts';
import type { MessageEvent } from '../../shared/model/event.ts';
import type { PollerCredentials } from './secrets.ts';

/** The account whose messages are opened, and the code for them. */
export interface Opening {
  account: string;
  credentials: PollerCredentials;
  code: string;
}

/** The content of an opened event. If the event cannot be opened, `undecryptable` is the reason and the rest is empty. */
export interface OpenedMessage {
  text: string;
  emoji: string;
  /** The attachment as its sender describes it; `null` if there is none. */
  attachment: Pick<AttachmentView, 'type' | 'filename' | 'size'> | null;
  undecryptable: string | null;
}

/** Opens messages with the code of one webhook or stream. Both methods throw the errors of key recovery. */
export interface MessageOpener {
  check(opening: Opening): Promise<void>;
  /** Returns one item for each event; `null` for a repetition of another event, which is to be ignored. */
  open(opening: Opening, events: readonly MessageEvent[]): Promise<(OpenedMessage | null)[]>;
}

/** Errors of the code itself: it is wrong, it has no guesses left, or the account has no keys. A retry gives the same error. */
const refusals = new Set(['forbidden', 'locked', 'conflict', 'bad_input', 'not_supported']);

/** Returns whether opening again would give the same error. */
export function isFinal(error: unknown): boolean {
  return !(error instanceof PosternError) || refusals.has(error.code);
}

/** Returns whether the code was refused. If the platform refuses the token, the code may still be right. */
export function isCodeRefusal(error: unknown): error is PosternError {
  if (!(error instanceof PosternError) || error.reason === 'auth_token_rejected') return false;
  return refusals.has(error.code);
}
