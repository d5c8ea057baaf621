import { PosternError } from '../../shared/errors/postern-error.ts';

export function conversationNotFound(id: string): PosternError {
  return new PosternError('resource_not_found', `Conversation not found: ${id}`);
}

/** `searched` is the number of events after which the search ended early. */
export function messageNotFound(seqId: string, searched?: number): PosternError {
  const where = searched === undefined ? '' : ` (only the newest ${searched} events of a conversation are searched)`;
  return new PosternError('resource_not_found', `Message not found: ${seqId}${where}`);
}

export function notOwnMessage(seqId: string): PosternError {
  return new PosternError('not_owner', `Not one of your own messages: ${seqId}`);
}

export function peerWithoutKeys(userId: string): PosternError {
  return new PosternError(
    'chat_keys_missing',
    `The other side has no chat keys, so nothing can be sealed for it: ${userId}`,
  );
}

/** Returns the error for public keys that failed verification. Nothing may be encrypted with such keys. */
export function untrustedKeys(reason: string): PosternError {
  return new PosternError('platform_unreadable', `The platform's chat keys cannot be trusted: ${reason}`);
}

export function isConflict(error: unknown): boolean {
  return error instanceof PosternError && error.code === 'conflict';
}
