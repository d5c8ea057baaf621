import { dmDelete } from '../../../actions/dm/delete.ts';
import { dmEdit } from '../../../actions/dm/edit.ts';
import { dmEnroll } from '../../../actions/dm/enroll.ts';
import { dmList } from '../../../actions/dm/list.ts';
import { dmMessages } from '../../../actions/dm/messages.ts';
import { dmReact, dmUnreact } from '../../../actions/dm/react.ts';
import { dmSend } from '../../../actions/dm/send.ts';
import { dmSendMedia } from '../../../actions/dm/send-media.ts';
import { missingField } from '../../../shared/errors/fields.ts';
import { PosternError } from '../../../shared/errors/postern-error.ts';
import {
  attachment,
  type ConversationView,
  conversation,
  type DirectMessage,
  directMessage,
  participant,
  reaction,
} from '../../../shared/model/direct-message.ts';
import { costs } from '../document/cost.ts';
import type { Session } from '../execute/session.ts';
import { listCall, oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { mutation } from './mutation.ts';
import { connectionOf, nodeType } from './refs.ts';
import { fieldsOf, objectOf, schemaDescription } from './zod-types.ts';

objectOf('Reaction', reaction);
objectOf('Attachment', attachment);

const MessageRef = objectOf('Message', directMessage, { options: { text: costs({ bytes: 300 }) } });
const MessageConnection = connectionOf('Message', MessageRef);

objectOf('Participant', participant, { omit: ['type'], names: { id: 'userId' } });

const ConversationRef = builder.objectRef<ConversationView>('Conversation');

nodeType(ConversationRef, {
  description: schemaDescription(conversation),
  id: ({ conversation_id }) => conversation_id,
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
    }),
  }),
);

/* The code is the header `x-encryption-code` and never a variable, because variables may be logged with a document. */

/** The UTF-8 size of a message of the maximum length, 10,000 characters. */
const text = costs({ bytes: 30_000 });

mutation('sendMessage', dmSend, { payload: { options: { text } } });
mutation('sendMediaMessage', dmSendMedia, { payload: { options: { text } } });
mutation('editMessage', dmEdit, { payload: { options: { text } } });
mutation('deleteMessage', dmDelete);
for (const [field, action] of [
  ['addReaction', dmReact],
  ['removeReaction', dmUnreact],
] as const) {
  mutation(field, action, {
    input: { type: 'ReactionInput', description: 'A message and a reaction.' },
    payload: { type: 'ReactionPayload', description: 'A reaction that was added or removed.' },
  });
}
mutation('enrollChat', dmEnroll);
