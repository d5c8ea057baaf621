import { PosternError } from '../../shared/errors/postern-error.ts';
import type { AttachmentView } from '../../shared/model/direct-message.ts';
import type { EventType, MessageEvent } from '../../shared/model/event.ts';
import type { PollerCredentials } from './secrets.ts';

/** The account whose messages are opened, with its credentials and code. */
export interface Opening {
  account: string;
  credentials: PollerCredentials;
  code: string;
}

/**
 * The content of an opened message, whose type is known only now. If it cannot be opened, `undecryptable` is the reason, its type is that of
 * a new message, and the other fields are empty.
 */
export interface OpenedMessage {
  type: Extract<EventType, `message.${string}`>;
  messageId: string;
  /** The `seqId` of each message that was edited, deleted or reacted to; empty for a new message. */
  targetSeqIds: readonly string[];
  text: string;
  emoji: string;
  /** The attachment as its sender describes it; `null` if there is none. */
  attachment: Pick<AttachmentView, 'type' | 'filename' | 'size'> | null;
  undecryptable: string | null;
}

/** Opens messages with the code of one webhook or stream. Both methods throw the errors of key recovery. */
export interface MessageOpener {
  check(opening: Opening): Promise<void>;
  /** Returns one item for each event. An item is `null` if its event repeats another event and must be ignored. */
  open(opening: Opening, events: readonly MessageEvent[]): Promise<(OpenedMessage | null)[]>;
}

/**
 * Errors that are caused by the code or the account: the code is wrong, no guesses are left, or the account has no keys. A retry would give
 * the same error.
 */
const refusals = new Set(['forbidden', 'locked', 'conflict', 'bad_input', 'not_supported']);

/** Returns true if opening the message again would give the same error. */
export function isFinal(error: unknown): boolean {
  return !(error instanceof PosternError) || refusals.has(error.code);
}

/** Returns true if the code was refused. It may still be correct if the platform refused the token, or if the operator turned messages off. */
export function isCodeRefusal(error: unknown): error is PosternError {
  if (!(error instanceof PosternError) || error.reason === 'auth_token_rejected') return false;
  return error.code !== 'not_supported' && refusals.has(error.code);
}
