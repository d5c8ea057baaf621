import { dmList } from '../../../actions/dm/list.ts';
import { dmMessages } from '../../../actions/dm/messages.ts';
import { missingField } from '../../../shared/errors/fields.ts';
import { PosternError } from '../../../shared/errors/postern-error.ts';
import {
  type ConversationView,
  conversation,
  type DirectMessage,
  participant,
} from '../../../shared/model/direct-message.ts';
import type { Session } from '../session.ts';
import { listCall, oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { MessageConnection, MessageRef } from './message.ts';
import { fieldsOf, objectOf, schemaDescription } from './zod-types.ts';

objectOf('Participant', participant, { omit: ['type'], names: { id: 'userId' } });

const ConversationRef = builder.objectRef<ConversationView>('Conversation');

builder.node(ConversationRef, {
  description: schemaDescription(conversation),
  id: { resolve: ({ conversation_id }) => conversation_id },
  fields: (t) => ({
    ...fieldsOf(t, conversation, { omit: ['last_message', 'participant_count'] }),
    lastMessage: t.field({
      type: MessageRef,
      ...oneCall({
        action: dmMessages,
        input: ({ conversation_id }: ConversationView) => ({ conversation_id, count: 1 }),
        about: 'The last message.',
        read: ({ messages: [last] }): DirectMessage | null => last ?? null,
        atHand: {
          known: ['text', 'senderId', 'fromMe', 'seqId', 'createdAt'],
          source: ({ last_message }) => {
            if (last_message === undefined) throw missingField('encryption_code');
            return last_message as DirectMessage;
          },
        },
      }),
    }),
    messages: t.field({
      type: MessageConnection,
      ...listCall({
        action: dmMessages,
        items: 'messages',
        input: ({ conversation_id }: ConversationView) => ({ conversation_id }),
        about: 'The messages, newest first.',
        read: (message: DirectMessage) => message,
      }),
    }),
  }),
});

const ConversationConnection = builder.connectionObject(
  {
    type: ConversationRef,
    name: 'ConversationConnection',
    description: 'A page of a list of `Conversation`.',
    fields: (t) => ({
      hasMessageRequests: t.boolean({
        description:
          'True if there are messages from users to whom the actor has not replied. Conversations with these users are not in this list.',
        resolve: (connection) => hasRequests(connection),
      }),
    }),
  },
  { name: 'ConversationEdge', description: 'An item of a list of `Conversation`, with its cursor.' },
);

function hasRequests(connection: object): boolean {
  const { output } = connection as { output: { has_message_requests?: unknown } };
  return output.has_message_requests === true;
}

/** Finds a conversation among the latest hundred, because the platform cannot look up a conversation by its id. */
export async function conversationOfId(id: string, session: Session): Promise<ConversationView> {
  const { conversations } = await session.read<{ conversations: ConversationView[] }>(dmList, { count: 100 });
  const found = conversations.find(({ conversation_id }) => conversation_id === id);
  if (!found) throw new PosternError('resource_not_found', `Conversation not found: ${id}`);
  return found;
}

builder.queryField('conversations', (t) =>
  t.field({
    type: ConversationConnection,
    ...listCall({
      action: dmList,
      items: 'conversations',
      about:
        "The actor's conversations, newest first, in the order of the moment of the first page. With `x-encryption-code` each " +
        'has its last message.',
      read: (each: ConversationView) => each,
    }),
  }),
);
