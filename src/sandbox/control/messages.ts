import { conversationId } from '../chat/chats.ts';
import { hasSeedKeys } from '../chat/public-keys.ts';
import { eventForm } from '../chat/render-chat.ts';
import { lastMessageBy, type Speech, speak } from '../chat/speak.ts';
import { answers, closed, ref, takes } from '../contract/schema.ts';
import { activeUser } from '../dataset/look-up.ts';
import type { User } from '../dataset/types.ts';
import { json } from '../http/answer.ts';
import { type Fields, optionalBoolean, optionalString, requiredString } from '../http/input.ts';
import type { OpenOperation } from '../http/operation.ts';
import { badRequest, Problem } from '../http/problem.ts';
import type { SandboxState } from '../platform.ts';

/** Lets one whose keys derive from the seed say something: its client seals it, and nothing of it is kept in the open. */
export const makeMessages: OpenOperation = {
  id: 'makeMessages',
  method: 'POST',
  path: '/control/messages',
  access: 'control',
  contract: {
    summary:
      'Sends a direct message between two users. The chat keys of the sender must derive from the seed, so an account that registered its own keys cannot send. Problems: `no_chat_keys` 409.',
    body: takes({
      type: 'object',
      required: ['from', 'to'],
      properties: {
        from: { type: 'string', description: 'Screen name.' },
        to: { type: 'string', description: 'Screen name.' },
        kind: ref('ChatEventKind'),
        text: { type: 'string' },
        emoji: { type: 'string' },
        seq_id: {
          ...ref('Id'),
          description:
            "The message to edit, delete or react to. Default: the sender's last message for edits and deletions, the other's last one for reactions.",
        },
        corrupt: {
          type: 'boolean',
          description: 'Flips one bit of the encrypted content, so that it cannot be decrypted.',
        },
      },
    }),
    responses: {
      201: answers('The event was sent.', closed({ conversation_id: ref('ConversationId'), event: ref('ChatEvent') })),
    },
  },
  handle({ platform, body }) {
    const from = userNamed(platform, requiredString(body, 'from'));
    const to = userNamed(platform, requiredString(body, 'to'));
    if (from === to) throw badRequest('to', 'to must be somebody else');
    if (!hasSeedKeys(from)) throw new Problem(409, 'no_chat_keys', 'The sandbox has no chat keys of that user');
    const said = readSaid(platform, body, from, to);
    const corrupt = optionalBoolean(body, 'corrupt') ?? false;
    const seqId = speak(platform, { from, to, said, corrupt });
    const conversation = platform.dataset.chats.conversations.get(conversationId(from, to));
    const event = seqId === undefined ? undefined : conversation?.event(seqId);
    if (event === undefined) throw new Problem(409, 'no_chat_keys', 'They have no conversation key that opens');
    return json({ conversation_id: conversation?.id, event: eventForm(event) }, 201);
  },
};

function readSaid(platform: SandboxState, body: Fields, from: User, to: User): Speech['said'] {
  const kind = optionalString(body, 'kind') ?? 'message';
  const text = optionalString(body, 'text') ?? platform.extras.answer(from);
  if (kind === 'message') return { kind, text, attachments: [] };
  const emoji = optionalString(body, 'emoji') ?? '👍';
  const target = () => optionalString(body, 'seq_id') ?? lastOf(platform, from, to, kind);
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

/** One edits and deletes one's own last message, and reacts to the other's. */
function lastOf(platform: SandboxState, from: User, to: User, kind: string): string {
  const conversation = platform.dataset.chats.conversations.get(conversationId(from, to));
  const sender = kind.startsWith('reaction') ? to : from;
  const last = conversation && lastMessageBy(conversation, sender);
  if (last === undefined) throw badRequest('kind', `there is no message by @${sender.screenName} for that`);
  return last;
}

function userNamed({ dataset }: SandboxState, screenName: string): User {
  return activeUser(dataset.userNamed(screenName), screenName);
}
