import { dmList } from '../../../actions/dm/list.ts';
import { dmMessages } from '../../../actions/dm/messages.ts';
import { missingField } from '../../../shared/errors/fields.ts';
import { PosternError } from '../../../shared/errors/postern-error.ts';
import type { ConversationView, DirectMessage, Participant } from '../../../shared/model/direct-message.ts';
import type { Session } from '../session.ts';
import { listCall, oneCall, pageArgs } from './bind.ts';
import { builder } from './builder.ts';
import { MessageConnection, MessageRef } from './message.ts';

const ParticipantRef = builder.objectRef<Participant>('Participant');

builder.objectType(ParticipantRef, {
  description: 'Who takes part in a conversation.',
  fields: (t) => ({
    userId: t.exposeString('id', { description: "The platform's id of the user." }),
    userName: t.exposeString('userName', { description: 'Screen name, without @.' }),
    name: t.exposeString('name', { description: 'Name.' }),
    url: t.exposeString('url', { nullable: true, description: 'Website.' }),
    profilePicture: t.exposeString('profilePicture', { nullable: true, description: 'Address of the picture.' }),
    isVerified: t.exposeBoolean('isVerified', { description: 'True where the platform verified the account.' }),
    isBlueVerified: t.exposeBoolean('isBlueVerified', { description: 'True for a premium account.' }),
    canDm: t.exposeBoolean('canDm', { description: 'True where the actor may write to the user.' }),
    hasPublicKey: t.exposeBoolean('hasPublicKey', { description: 'False: nothing can be sealed for the user.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the account was made.' }),
  }),
});

const ConversationRef = builder.objectRef<ConversationView>('Conversation');

builder.node(ConversationRef, {
  description: 'What two users write to each other, end-to-end encrypted.',
  id: { resolve: (conversation) => conversation.conversation_id },
  fields: (t) => ({
    conversationId: t.exposeString('conversation_id', { description: 'Its id, as REST has it.' }),
    type: t.exposeString('type', { description: 'Such as `one_to_one`.' }),
    isMuted: t.exposeBoolean('is_muted', { description: 'True where the actor muted it.' }),
    hasMore: t.exposeBoolean('has_more', { description: 'True where there are older messages than the last.' }),
    participants: t.field({
      type: [ParticipantRef],
      description: 'Both sides.',
      resolve: ({ participants }) => participants,
    }),
    lastMessage: t.field({
      type: MessageRef,
      description:
        'Needs `x-encryption-code`. A call, unless only `text`, `senderId`, `fromMe`, `seqId` and `createdAt` are asked for.',
      ...oneCall<ConversationView, unknown, { messages: DirectMessage[] }, DirectMessage | null>({
        action: dmMessages,
        input: ({ conversation_id }) => ({ conversation_id, count: 1 }),
        read: ({ messages: [last] }) => last ?? null,
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
      args: pageArgs,
      description: 'Newest first. Needs `x-encryption-code`. A call.',
      ...listCall<ConversationView, DirectMessage, DirectMessage>({
        action: dmMessages,
        items: 'messages',
        input: ({ conversation_id }) => ({ conversation_id }),
        read: (message) => message,
      }),
    }),
  }),
});

const ConversationConnection = builder.connectionObject(
  {
    type: ConversationRef,
    name: 'ConversationConnection',
    description: 'A page of conversations.',
    fields: (t) => ({
      hasMessageRequests: t.boolean({
        description: 'True where somebody wrote whom the actor has not answered: not in this list.',
        resolve: (connection) => hasRequests(connection),
      }),
    }),
  },
  { name: 'ConversationEdge', description: 'A conversation of a list, with its cursor.' },
);

function hasRequests(connection: object): boolean {
  const { output } = connection as { output: { has_message_requests?: unknown } };
  return output.has_message_requests === true;
}

/** The latest hundred are looked through: the platform tells of conversations by their list. */
export async function conversationOfId(id: string, session: Session): Promise<ConversationView> {
  const { conversations } = await session.read<{ conversations: ConversationView[] }>(dmList, { count: 100 });
  const found = conversations.find(({ conversation_id }) => conversation_id === id);
  if (!found) throw new PosternError('resource_not_found', `Conversation not found: ${id}`);
  return found;
}

builder.queryField('conversations', (t) =>
  t.field({
    type: ConversationConnection,
    description:
      "The actor's conversations, newest first, in the order of the moment of the first page. With `x-encryption-code` each " +
      'brings its last message. A call.',
    args: pageArgs,
    ...listCall<unknown, ConversationView, ConversationView>({
      action: dmList,
      items: 'conversations',
      input: () => ({}),
      read: (conversation) => conversation,
    }),
  }),
);
