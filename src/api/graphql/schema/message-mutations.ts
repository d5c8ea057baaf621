import type { GraphQLResolveInfo } from 'graphql';
import { dmDelete } from '../../../actions/dm/delete.ts';
import { dmEdit } from '../../../actions/dm/edit.ts';
import { dmEnroll } from '../../../actions/dm/enroll.ts';
import { dmReact, dmUnreact } from '../../../actions/dm/react.ts';
import { dmSend } from '../../../actions/dm/send.ts';
import { dmSendMedia } from '../../../actions/dm/send-media.ts';
import { costs } from '../cost.ts';
import type { Session } from '../session.ts';
import { given } from './bind.ts';
import { builder } from './builder.ts';
import { performs } from './mutation.ts';

/* All need `x-encryption-code`: it is never a variable, which might be logged with a document. */

interface Answer {
  ok: boolean;
  conversation_id: string;
  message_id: string;
  seq_id: string;
  target_seq_id: string;
  text: string;
  emoji: string;
  media_hash_key: string;
  filename: string;
  type: number;
  size: number;
}

/** Bytes of 10,000 characters. */
const longestMessage = 30_000;

/** What the answers of these mutations may have, under REST's names. */
const shown = {
  conversation_id: 'The conversation.',
  message_id: "Id of the message, of its sender's making.",
  seq_id: 'Names it in edits, deletions and reactions.',
  target_seq_id: 'The message that it was about.',
  text: 'The text, as sent.',
  emoji: 'The reaction.',
  media_hash_key: 'What the platform keeps the sealed file under.',
  filename: 'Its name.',
} as const;

function payload(name: string, about: string, names: readonly (keyof typeof shown)[], ofMedia = false) {
  const ref = builder.objectRef<Answer>(name);
  builder.objectType(ref, {
    description: about,
    fields: (t) => ({
      ok: t.exposeBoolean('ok', { description: 'Always true: what fails is an error.' }),
      ...Object.fromEntries(
        names.map(
          (field) =>
            [
              camel(field),
              t.exposeString(field, {
                description: shown[field],
                ...(field === 'text' && costs({ bytes: longestMessage })),
              }),
            ] as const,
        ),
      ),
      ...(ofMedia && {
        type: t.exposeInt('type', { description: '1 image, 2 gif, 3 video, 4 audio, 5 file, 6 svg.' }),
        size: t.field({ type: 'Float', description: 'Bytes before it was sealed.', resolve: ({ size }) => size }),
      }),
    }),
  });
  return ref;
}

function camel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

const conversation = 'A conversation of the actor, `<user_id>:<user_id>`.';
const message = '`seqId` of the message.';

const SendMessageInput = builder.inputType('SendMessageInput', {
  description: 'What to send, and to whom.',
  fields: (t) => ({
    conversationId: t.string({ description: `${conversation} This or \`userId\`.` }),
    userId: t.string({ description: 'Whom to write to: begins a conversation where there is none.' }),
    text: t.string({ required: true, description: 'Up to 10,000 characters.' }),
  }),
});

const SendMediaMessageInput = builder.inputType('SendMediaMessageInput', {
  description: 'An attachment, and where to send it.',
  fields: (t) => ({
    conversationId: t.string({ required: true, description: conversation }),
    imageUrl: t.string({ description: 'Address to fetch it from; this or `imageBase64`.' }),
    imageBase64: t.string({ description: 'Base64, with or without a data: prefix.' }),
    text: t.string({ description: 'A caption.' }),
    type: t.int({ description: '1 image (if left out), 2 gif, 3 video, 4 audio, 5 file, 6 svg.' }),
    filename: t.string({ description: 'Made of the type, if left out.' }),
    width: t.int({ description: 'Read from the bytes, if left out.' }),
    height: t.int({ description: 'Read from the bytes, if left out.' }),
  }),
});

const EditMessageInput = builder.inputType('EditMessageInput', {
  description: "Which of the actor's own messages, and its new text.",
  fields: (t) => ({
    conversationId: t.string({ required: true, description: conversation }),
    seqId: t.string({ required: true, description: message }),
    text: t.string({ required: true, description: 'Up to 10,000 characters.' }),
  }),
});

const DeleteMessageInput = builder.inputType('DeleteMessageInput', {
  description: 'Which message, and for whom.',
  fields: (t) => ({
    conversationId: t.string({ required: true, description: conversation }),
    seqId: t.string({ required: true, description: message }),
    forAll: t.boolean({
      description: "For both sides, which one's own messages alone can be. Left out: true for those, false for others.",
    }),
  }),
});

const ReactionInput = builder.inputType('ReactionInput', {
  description: 'Which message, and the reaction.',
  fields: (t) => ({
    conversationId: t.string({ required: true, description: conversation }),
    seqId: t.string({ required: true, description: message }),
    emoji: t.string({ required: true, description: 'One emoji.' }),
  }),
});

const SendMessagePayload = payload('SendMessagePayload', 'A message that was sent.', [
  ...(['conversation_id', 'message_id', 'seq_id', 'text'] as const),
]);
const SendMediaMessagePayload = payload(
  'SendMediaMessagePayload',
  'An attachment that was sent.',
  ['conversation_id', 'message_id', 'media_hash_key', 'filename', 'text'],
  true,
);
const EditMessagePayload = payload('EditMessagePayload', 'A message that was edited.', [
  ...(['conversation_id', 'message_id', 'target_seq_id', 'text'] as const),
]);
const DeleteMessagePayload = payload('DeleteMessagePayload', 'A message that was deleted.', [
  ...(['conversation_id', 'target_seq_id'] as const),
]);
const ReactionPayload = payload('ReactionPayload', 'A reaction that was added, or taken back.', [
  ...(['conversation_id', 'target_seq_id', 'emoji'] as const),
]);
const EnrollChatPayload = payload('EnrollChatPayload', 'Chat keys that were made.', []);

type About = { conversationId: string; seqId: string };
const about = ({ conversationId, seqId }: About) => ({ conversation_id: conversationId, seq_id: seqId });

builder.mutationFields((t) => ({
  sendMessage: t.field({
    type: SendMessagePayload,
    description: 'Send a message. A call.',
    args: { input: t.arg({ type: SendMessageInput, required: true, description: 'What, and to whom.' }) },
    ...performs<typeof SendMessageInput.$inferInput, Answer>(dmSend, ({ conversationId, userId, text }) =>
      given({ conversation_id: conversationId, user_id: userId, text }),
    ),
  }),
  sendMediaMessage: t.field({
    type: SendMediaMessagePayload,
    description: 'Send an attachment, sealed here before it leaves. A call.',
    args: { input: t.arg({ type: SendMediaMessageInput, required: true, description: 'What, and where.' }) },
    ...performs<typeof SendMediaMessageInput.$inferInput, Answer>(
      dmSendMedia,
      ({ conversationId, imageUrl, imageBase64, ...rest }) =>
        given({ conversation_id: conversationId, image_url: imageUrl, image_base64: imageBase64, ...rest }),
    ),
  }),
  editMessage: t.field({
    type: EditMessagePayload,
    description: "Change the text of one of the actor's own messages. A call.",
    args: { input: t.arg({ type: EditMessageInput, required: true, description: 'Which, and how.' }) },
    ...performs<typeof EditMessageInput.$inferInput, Answer>(dmEdit, (input) => ({
      ...about(input),
      text: input.text,
    })),
  }),
  deleteMessage: t.field({
    type: DeleteMessagePayload,
    description: 'Delete a message, for both sides or for the actor alone. A call.',
    args: { input: t.arg({ type: DeleteMessageInput, required: true, description: 'Which, and for whom.' }) },
    ...performs<typeof DeleteMessageInput.$inferInput, Answer>(dmDelete, (input) =>
      given({ ...about(input), for_all: input.forAll }),
    ),
  }),
  addReaction: t.field({
    type: ReactionPayload,
    description: 'Add a reaction to a message. A call.',
    args: { input: t.arg({ type: ReactionInput, required: true, description: 'Which, and to what.' }) },
    ...performs<typeof ReactionInput.$inferInput, Answer>(dmReact, (input) => ({
      ...about(input),
      emoji: input.emoji,
    })),
  }),
  removeReaction: t.field({
    type: ReactionPayload,
    description: 'Take a reaction back. A call.',
    args: { input: t.arg({ type: ReactionInput, required: true, description: 'Which, and from what.' }) },
    ...performs<typeof ReactionInput.$inferInput, Answer>(dmUnreact, (input) => ({
      ...about(input),
      emoji: input.emoji,
    })),
  }),
  enrollChat: t.field({
    type: EnrollChatPayload,
    nullable: true,
    description:
      'Make chat keys for an account that has none, to be recovered with the new `x-encryption-code`. A call.',
    ...costs({ action: dmEnroll, input: () => ({}) }),
    resolve: (_root: unknown, _args: unknown, session: Session, info: GraphQLResolveInfo) =>
      session.write<Answer>(dmEnroll, {}, String(info.path.key)),
  }),
}));
