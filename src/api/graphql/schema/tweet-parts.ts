import type { Entities } from '../../../shared/model/entities.ts';
import type { Media } from '../../../shared/model/media.ts';
import { builder } from './builder.ts';

export const MediaRef = builder.objectRef<Media>('Media');

builder.objectType(MediaRef, {
  description: 'A photo, video or animation of a tweet.',
  fields: (t) => ({
    type: t.exposeString('type', { description: '`photo`, `video` and the like.' }),
    url: t.exposeString('url', { description: 'Address of the picture.' }),
    expandedUrl: t.exposeString('expanded_url', { nullable: true, description: 'Address of its page.' }),
    videoUrl: t.exposeString('video_url', { nullable: true, description: 'Address of the video, where it is one.' }),
    width: t.exposeInt('width', { nullable: true, description: 'Pixels.' }),
    height: t.exposeInt('height', { nullable: true, description: 'Pixels.' }),
    durationMs: t.exposeInt('duration_ms', { nullable: true, description: 'Milliseconds, of a video.' }),
  }),
});

export const EntitiesRef = builder.objectRef<Entities>('Entities');
const TagRef = builder.objectRef<Entities['hashtags'][number]>('Tag');
const LinkRef = builder.objectRef<Entities['urls'][number]>('Link');
const MentionRef = builder.objectRef<Entities['user_mentions'][number]>('Mention');

builder.objectType(EntitiesRef, {
  description: "What is marked in a tweet's text.",
  fields: (t) => ({
    hashtags: t.field({ type: [TagRef], description: '#words.', resolve: (entities) => entities.hashtags }),
    symbols: t.field({ type: [TagRef], description: '$SYMBOLS.', resolve: (entities) => entities.symbols }),
    timestamps: t.field({
      type: [TagRef],
      description: 'Times in a video.',
      resolve: (entities) => entities.timestamps,
    }),
    urls: t.field({ type: [LinkRef], description: 'Links.', resolve: (entities) => entities.urls }),
    userMentions: t.field({
      type: [MentionRef],
      description: '@names.',
      resolve: (entities) => entities.user_mentions,
    }),
  }),
});

const indicesAbout = 'Where it stands: the first code point, and the one after the last.';

builder.objectType(TagRef, {
  description: 'A marked word of a text.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'The word, without its sign.' }),
    indices: t.intList({ description: indicesAbout, resolve: (tag) => tag.indices }),
  }),
});

builder.objectType(LinkRef, {
  description: 'A link in a text.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'As it stands in the text.' }),
    expandedUrl: t.exposeString('expanded_url', { description: 'Where it leads.' }),
    displayUrl: t.exposeString('display_url', { description: 'As people are shown it.' }),
    indices: t.intList({ description: indicesAbout, resolve: (link) => link.indices }),
  }),
});

builder.objectType(MentionRef, {
  description: 'A user who is named in a text.',
  fields: (t) => ({
    userId: t.exposeString('id', { description: "The platform's id." }),
    userName: t.exposeString('screen_name', { description: 'Screen name.' }),
    name: t.exposeString('name', { description: 'Name.' }),
    indices: t.intList({ description: indicesAbout, resolve: (mention) => mention.indices }),
  }),
});
