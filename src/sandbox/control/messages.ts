import { chatIdOf } from '../chat/chats.ts';
import { hasSeedKeys } from '../chat/public-keys.ts';
import { eventForm } from '../chat/render-chat.ts';
import { lastMessageBy, type OutgoingMessage, sendMessage } from '../chat/send-message.ts';
import type { User } from '../dataset/types.ts';
import { activeUserNamed } from '../dataset/visibility.ts';
import { type Fields, optionalBoolean, optionalString, requiredString } from '../fields.ts';
import { control } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { json } from '../http/response.ts';
import type { SandboxState } from '../platform.ts';
import { badRequest } from '../refusal.ts';

/** Sends a direct message from a user whose chat keys derive from the seed. The message is stored encrypted only. */
export const makeMessages = control('makeMessages', 'POST', '/control/messages', ({ platform, body }) => {
  const from = activeUserNamed(platform.dataset, requiredString(body, 'from'));
  const to = activeUserNamed(platform.dataset, requiredString(body, 'to'));
  if (from === to) throw badRequest('to', 'to must be another user than from');
  if (!hasSeedKeys(from))
    throw new Problem(409, 'no_chat_keys', 'The sandbox does not have the private chat keys of this user');
  const content = readContent(platform, body, from, to);
  const corrupt = optionalBoolean(body, 'corrupt') ?? false;
  const seqId = sendMessage(platform, { from, to, content, corrupt });
  const conversation = platform.dataset.chats.conversations.get(chatIdOf(from, to));
  const event = seqId === undefined ? undefined : conversation?.findEvent(seqId);
  if (conversation === undefined || event === undefined)
    throw new Problem(
      409,
      'no_chat_keys',
      'The other user has no chat keys, or the conversation key cannot be decrypted',
    );
  return json({ conversation_id: conversation.id, event: eventForm(conversation, event, from) }, 201);
});

function readContent(platform: SandboxState, body: Fields, from: User, to: User): OutgoingMessage['content'] {
  const kind = optionalString(body, 'kind') ?? 'message';
  const text = optionalString(body, 'text') ?? platform.extras.answer(from);
  if (kind === 'message') return { kind, text, attachments: [] };
  const emoji = optionalString(body, 'emoji') ?? '👍';
  const target = () => optionalString(body, 'seq_id') ?? defaultTarget(platform, from, to, kind);
  switch (kind) {
    case 'edit':
      return { kind, targetSequenceId: target(), text };
    case 'deletion':
      return { kind: 'delete', targetSequenceId: target() };
    case 'reaction_added':
      return { kind: 'reactionAdded', targetSequenceId: target(), emoji };
    case 'reaction_removed':
      return { kind: 'reactionRemoved', targetSequenceId: target(), emoji };
    default:
      throw badRequest('kind', 'kind must be message, edit, deletion, reaction_added or reaction_removed');
  }
}

/**
 * Returns the default target: the sender's own last message for edits and deletions, the other user's last message for
 * reactions.
 */
function defaultTarget(platform: SandboxState, from: User, to: User, kind: string): string {
  const conversation = platform.dataset.chats.conversations.get(chatIdOf(from, to));
  const sender = kind.startsWith('reaction') ? to : from;
  const last = conversation && lastMessageBy(platform, conversation, sender, from);
  if (last === undefined)
    throw badRequest('kind', `there is no message by @${sender.screenName} to edit, delete or react to`);
  return last;
}
