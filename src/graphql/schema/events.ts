import { eventStream } from '../../core/actions/webhook/stream.ts';
import type { AttachmentView } from '../../model/direct-message.ts';
import type { EventType } from '../../model/event.ts';
import { costs } from '../cost.ts';
import type { Session } from '../session.ts';
import { given } from './bind.ts';
import { builder } from './builder.ts';
import { EventTypeRef } from './event-type.ts';

/** The JSON of an event, as webhooks get it (SPEC.md, Payload shapes). */
interface EventSource {
  id: string;
  type: EventType;
  created_at: string;
}

const EventRef = builder.interfaceRef<EventSource>('Event');

builder.interfaceType(EventRef, {
  description: "Something that happened to the actor's account. The same as webhooks get, with the same ids.",
  resolveType: ({ type }) => typeNames[type],
  fields: (t) => ({
    id: t.exposeString('id', { description: 'What `after` takes to go on behind it.' }),
    type: t.field({ type: EventTypeRef, description: 'Its kind.', resolve: (event) => event.type }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it happened.' }),
  }),
});

/** The object type of each kind: `tweet.like` → `TweetLikeEvent`. */
const typeNames: Partial<Record<EventType, string>> = {};

interface WrittenSource extends EventSource {
  tweet_id: string;
  text: string;
  author_id: string;
  author_screen_name: string;
  author_name: string;
  in_reply_to_id?: string | null;
  quoted_tweet_id?: string | null;
}

function written(type: EventType, name: string, about: string): void {
  typeNames[type] = name;
  const ref = builder.objectRef<WrittenSource>(name);
  builder.objectType(ref, {
    description: about,
    interfaces: [EventRef],
    fields: (t) => ({
      tweetId: t.exposeString('tweet_id', { description: "The platform's id of the tweet." }),
      text: t.exposeString('text', { description: 'Its text.' }),
      authorId: t.exposeString('author_id', { description: "The platform's id of who wrote it." }),
      authorUserName: t.exposeString('author_screen_name', { description: 'Screen name of who wrote it.' }),
      authorName: t.exposeString('author_name', { description: 'Name of who wrote it.' }),
      ...(type === 'tweet.reply' && {
        inReplyToId: t.exposeString('in_reply_to_id', {
          nullable: true,
          description: 'Id of the tweet that it answers.',
        }),
      }),
      ...(type === 'tweet.quote' && {
        quotedTweetId: t.exposeString('quoted_tweet_id', { nullable: true, description: 'Id of the tweet inside it.' }),
      }),
    }),
  });
}

written('tweet.mention', 'TweetMentionEvent', 'Someone mentions the account.');
written('tweet.reply', 'TweetReplyEvent', 'Someone replies to one of its tweets.');
written('tweet.quote', 'TweetQuoteEvent', 'Someone quotes one of its tweets.');

interface ActedSource extends EventSource {
  tweet_id?: string;
  actor_ids: string[];
  actor_screen_names: string[];
}

function acted(type: EventType, name: string, about: string): void {
  typeNames[type] = name;
  const ref = builder.objectRef<ActedSource>(name);
  builder.objectType(ref, {
    description: about,
    interfaces: [EventRef],
    fields: (t) => ({
      ...(type !== 'user.follow' && {
        tweetId: t.string({ description: "The platform's id of the tweet.", resolve: ({ tweet_id = '' }) => tweet_id }),
      }),
      actorIds: t.stringList({ description: "The platform's ids of who did it.", resolve: (event) => event.actor_ids }),
      actorUserNames: t.stringList({
        description: 'Their screen names.',
        resolve: (event) => event.actor_screen_names,
      }),
    }),
  });
}

acted('tweet.like', 'TweetLikeEvent', 'Someone likes one of its tweets.');
acted('tweet.retweet', 'TweetRetweetEvent', 'Someone retweets one of its tweets.');
acted('user.follow', 'UserFollowEvent', 'Someone follows it.');

type EventAttachment = Pick<AttachmentView, 'type' | 'filename' | 'size'>;

const EventAttachmentRef = builder.objectRef<EventAttachment>('EventAttachment');

builder.objectType(EventAttachmentRef, {
  description: 'A file that came with a message, as its sender describes it.',
  fields: (t) => ({
    type: t.exposeInt('type', { description: '1 image, 2 gif, 3 video, 4 audio, 5 file, 6 svg.' }),
    filename: t.exposeString('filename', { description: 'Its name.' }),
    size: t.field({ type: 'Float', description: 'Bytes before encryption.', resolve: ({ size }) => size }),
  }),
});

interface MessageSource extends EventSource {
  conversation_id: string;
  message_id: string;
  seq_id: string;
  sender_id: string;
  from_me: boolean;
  text?: string;
  attachment?: EventAttachment;
  emoji?: string;
  target_seq_id?: string;
  undecryptable?: string;
}

/** What an event of messages has besides what all of them have. */
type MessagePart = 'text' | 'attachment' | 'emoji' | 'target';

function said(type: EventType, name: string, about: string, parts: readonly MessagePart[]): void {
  typeNames[type] = name;
  const ref = builder.objectRef<MessageSource>(name);
  builder.objectType(ref, {
    description: `${about} Told where \`x-encryption-code\` was sent.`,
    interfaces: [EventRef],
    fields: (t) => ({
      conversationId: t.exposeString('conversation_id', { description: 'The conversation.' }),
      messageId: t.exposeString('message_id', { description: "Id of what was said, of its sender's making." }),
      seqId: t.exposeString('seq_id', { description: 'Its place among all that was said.' }),
      senderId: t.exposeString('sender_id', { description: "The platform's id of whose it is." }),
      fromMe: t.exposeBoolean('from_me', { description: "True where it is the actor's." }),
      undecryptable: t.string({
        nullable: true,
        description: 'Why it cannot be opened; `deleted` if its message was deleted before it was read.',
        resolve: ({ undecryptable }) => undecryptable ?? null,
      }),
      ...(parts.includes('text') && {
        text: t.string({ description: 'What it says.', resolve: ({ text }) => text ?? '' }),
      }),
      ...(parts.includes('attachment') && {
        attachment: t.field({
          type: EventAttachmentRef,
          nullable: true,
          description: 'The file that came with it.',
          resolve: ({ attachment }) => attachment ?? null,
        }),
      }),
      ...(parts.includes('emoji') && {
        emoji: t.string({ description: 'The reaction.', resolve: ({ emoji }) => emoji ?? '' }),
      }),
      ...(parts.includes('target') && {
        targetSeqId: t.string({
          description: '`seqId` of the message that it is about.',
          resolve: ({ target_seq_id }) => target_seq_id ?? '',
        }),
      }),
    }),
  });
}

said('message.received', 'MessageReceivedEvent', 'A direct message is received.', ['text', 'attachment']);
said('message.sent', 'MessageSentEvent', 'A direct message is sent.', ['text', 'attachment']);
said('message.edited', 'MessageEditedEvent', 'A direct message is edited.', ['text', 'target']);
said('message.deleted', 'MessageDeletedEvent', 'A direct message is deleted.', ['target']);
said('message.reactionAdded', 'MessageReactionAddedEvent', 'A reaction is added to one.', ['emoji', 'target']);
said('message.reactionRemoved', 'MessageReactionRemovedEvent', 'A reaction is taken back.', ['emoji', 'target']);

interface EventArgs {
  types?: readonly EventType[] | null | undefined;
  after?: string | null | undefined;
}

const inputOf = ({ types, after }: EventArgs) => given({ types: types?.join(','), last_event_id: after });

builder.subscriptionType({ description: 'What is told as it happens, over Server-Sent Events.' });

builder.subscriptionField('events', (t) =>
  t.field({
    type: EventRef,
    nullable: true,
    description: "The actor's activity. A call, when it opens. A null says that events may be missing before the next.",
    args: {
      types: t.arg({ type: [EventTypeRef], description: 'Kinds to be told of; all if left out.' }),
      after: t.arg.string({ description: 'Id of the last event that you have: goes on behind it, within 24 hours.' }),
    },
    ...costs({ action: eventStream, input: (args) => inputOf(args as EventArgs) }),
    subscribe: (_root, args, session: Session) => session.open(eventStream, inputOf(args)) as never,
    resolve: (event) => event as unknown as EventSource,
  }),
);
