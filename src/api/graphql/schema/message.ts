import type { DirectMessage } from '../../../shared/model/direct-message.ts';
import { costs } from '../cost.ts';
import { builder } from './builder.ts';

export const MessageRef = builder.objectRef<DirectMessage>('Message');

const Reaction = builder.objectRef<DirectMessage['reactions'][number]>('Reaction');
const Attachment = builder.objectRef<NonNullable<DirectMessage['attachment']>>('Attachment');

builder.objectType(Reaction, {
  description: 'A reaction to a message.',
  fields: (t) => ({
    emoji: t.exposeString('emoji', { description: 'What it shows.' }),
    senderId: t.exposeString('sender_id', { description: "The platform's id of whose it is." }),
    fromMe: t.exposeBoolean('from_me', { description: "True where it is the actor's." }),
  }),
});

builder.objectType(Attachment, {
  description: 'A sealed file that came with a message.',
  fields: (t) => ({
    mediaHashKey: t.exposeString('media_hash_key', { description: 'What the platform keeps it under.' }),
    type: t.exposeInt('type', { description: '1 image, 2 gif, 3 video, 4 audio, 5 file, 6 svg.' }),
    filename: t.exposeString('filename', { description: 'Its name.' }),
    size: t.field({ type: 'Float', description: 'Bytes before it was sealed.', resolve: ({ size }) => size }),
    width: t.exposeInt('width', { nullable: true, description: 'Pixels.' }),
    height: t.exposeInt('height', { nullable: true, description: 'Pixels.' }),
  }),
});

builder.objectType(MessageRef, {
  description: 'A direct message, opened with the encryption code.',
  fields: (t) => ({
    messageId: t.exposeString('message_id', { description: "Its id, of its sender's making." }),
    seqId: t.exposeString('seq_id', { description: 'Names it in edits, deletions and reactions.' }),
    senderId: t.exposeString('sender_id', { description: "The platform's id of who sent it." }),
    fromMe: t.exposeBoolean('from_me', { description: 'True where the actor sent it.' }),
    text: t.exposeString('text', {
      description: 'Empty where it has none, was deleted, or cannot be opened.',
      ...costs({ bytes: 300 }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was sent.' }),
    edited: t.exposeBoolean('edited', { description: 'True where the text is not the first.' }),
    deleted: t.exposeBoolean('deleted', { description: 'True where it was deleted, for both sides or for the actor.' }),
    reactions: t.field({ type: [Reaction], description: 'Those that stand.', resolve: ({ reactions }) => reactions }),
    attachment: t.field({
      type: Attachment,
      nullable: true,
      description: 'The file that came with it.',
      resolve: ({ attachment }) => attachment,
    }),
    undecryptable: t.exposeString('undecryptable', { nullable: true, description: 'Why it cannot be opened.' }),
  }),
});

export const MessageConnection = builder.connectionObject(
  { type: MessageRef, name: 'MessageConnection', description: 'A page of messages.' },
  { name: 'MessageEdge', description: 'A message of a list, with its cursor.' },
);
