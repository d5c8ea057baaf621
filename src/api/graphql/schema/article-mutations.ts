import type { Action } from '../../../actions/action.ts';
import { createArticle } from '../../../actions/article/create.ts';
import { deleteArticle } from '../../../actions/article/delete.ts';
import { publishArticle } from '../../../actions/article/publish.ts';
import { unpublishArticle } from '../../../actions/article/unpublish.ts';
import { updateArticle } from '../../../actions/article/update.ts';
import type { ArticleStatus as Status } from '../../../shared/model/article.ts';
import { ArticleStatus, articleById } from './article.ts';
import { given } from './bind.ts';
import { builder } from './builder.ts';
import { bytesOf } from './media-mutations.ts';
import { performs } from './mutation.ts';
import { ArticleRef } from './refs.ts';

interface MadeArticle {
  article_id: string;
  status: Status;
  tweet_id: string | null;
  draft_url: string | null;
  public_url: string | null;
  cover_media_id: string | null;
}

interface UpdatedArticle {
  article_id: string;
  updated: { title: boolean; content: boolean; cover_media_id: string | null };
}

const itsId = { description: "The platform's id of the article." };
const theArticle = 'The article. A call, unless only its id is asked for.';

const CreateArticlePayload = builder.objectRef<MadeArticle>('CreateArticlePayload').implement({
  description: 'An article that was written.',
  fields: (t) => ({
    articleId: t.exposeString('article_id', itsId),
    status: t.field({ type: ArticleStatus, description: 'Draft or published.', resolve: ({ status }) => status }),
    tweetId: t.exposeString('tweet_id', {
      nullable: true,
      description: 'Of its wrapper tweet, where it is published.',
    }),
    draftUrl: t.exposeString('draft_url', { nullable: true, description: 'Where its author reads a draft.' }),
    publicUrl: t.exposeString('public_url', { nullable: true, description: 'Where everybody reads it.' }),
    coverMediaId: t.exposeString('cover_media_id', { nullable: true, description: 'Id of its cover.' }),
    article: t.field({
      type: ArticleRef,
      description: 'The article. A call, unless only what stands beside it is asked for.',
      ...articleById<MadeArticle>(({ article_id }) => article_id, {
        known: ['status', 'draftUrl', 'publicUrl', 'coverMediaId'],
        source: (made) => made,
      }),
    }),
  }),
});

const UpdatedParts = builder.objectRef<UpdatedArticle['updated']>('UpdatedArticleParts').implement({
  description: 'What of an article was changed.',
  fields: (t) => ({
    title: t.exposeBoolean('title', { description: 'The title.' }),
    content: t.exposeBoolean('content', { description: 'What it says.' }),
    coverMediaId: t.exposeString('cover_media_id', { nullable: true, description: 'Id of the new cover.' }),
  }),
});

const UpdateArticlePayload = builder.objectRef<UpdatedArticle>('UpdateArticlePayload').implement({
  description: 'An article that was changed.',
  fields: (t) => ({
    articleId: t.exposeString('article_id', itsId),
    updated: t.field({ type: UpdatedParts, description: 'What was changed.', resolve: ({ updated }) => updated }),
    article: t.field({
      type: ArticleRef,
      description: theArticle,
      ...articleById<UpdatedArticle>(({ article_id }) => article_id),
    }),
  }),
});

const content =
  'Markdown (CommonMark): headings, bold, italic, lists, links, images, code, quotes. Up to 100,000 characters. Tables, ' +
  'strikethrough, footnotes, definition lists, alerts, front matter and math blocks are refused with their line.';

const CreateArticleInput = builder.inputType('CreateArticleInput', {
  description: 'An article. At most one cover.',
  fields: (t) => ({
    title: t.string({ required: true, description: 'Up to 100 characters.' }),
    content: t.string({ required: true, description: content }),
    publish: t.boolean({ description: 'Publish it at once. Premium only.' }),
    coverMediaId: t.string({ description: 'The cover, uploaded before.' }),
    coverImageUrl: t.string({ description: 'Instead: the address of the cover.' }),
    coverImageBase64: t.string({ description: 'Instead: the cover as base64, or a data: URI.' }),
    coverImage: t.field({ type: 'Upload', description: 'Instead: the cover itself, in a multipart request.' }),
  }),
});

const UpdateArticleInput = builder.inputType('UpdateArticleInput', {
  description: 'What of an article is to change; what is left out stays as it is.',
  fields: (t) => ({
    articleId: t.string({ required: true, ...itsId }),
    title: t.string({ description: 'Up to 100 characters.' }),
    content: t.string({ description: content }),
    coverMediaId: t.string({ description: 'The cover, uploaded before.' }),
    coverImageUrl: t.string({ description: 'Instead: the address of the cover.' }),
    coverImageBase64: t.string({ description: 'Instead: the cover as base64, or a data: URI.' }),
    coverImage: t.field({ type: 'Upload', description: 'Instead: the cover itself, in a multipart request.' }),
  }),
});

type Fields = Omit<typeof UpdateArticleInput.$inferInput, 'articleId'>;

function fieldsOf({ title, content, ...cover }: Fields) {
  return {
    title,
    content,
    cover_media_id: cover.coverMediaId,
    cover_image_url: cover.coverImageUrl,
    cover_image_base64: bytesOf(cover.coverImageBase64, cover.coverImage),
  };
}

builder.mutationFields((t) => ({
  createArticle: t.field({
    type: CreateArticlePayload,
    description: 'Write an article, as a draft or published. A call.',
    args: { input: t.arg({ type: CreateArticleInput, required: true, description: 'What to write.' }) },
    ...performs<typeof CreateArticleInput.$inferInput, MadeArticle>(createArticle, (input) =>
      given({ ...fieldsOf(input), publish: input.publish }),
    ),
  }),
  updateArticle: t.field({
    type: UpdateArticlePayload,
    description: 'Change the title, the content or the cover of an article. A call.',
    args: { input: t.arg({ type: UpdateArticleInput, required: true, description: 'What is to change.' }) },
    ...performs<typeof UpdateArticleInput.$inferInput, UpdatedArticle>(updateArticle, (input) =>
      given({ article_id: input.articleId, ...fieldsOf(input) }),
    ),
  }),
}));

interface Trigger {
  /** Of the mutation, such as `publishArticle`. */
  field: string;
  action: Action;
  about: string;
  /** What an answer of publishing has besides. */
  publishes?: boolean;
}

type Triggered = Pick<MadeArticle, 'article_id' | 'tweet_id' | 'public_url'>;

/** What is done to one article, named by its id. */
function trigger({ field, action, about, publishes = false }: Trigger): void {
  const name = field[0]?.toUpperCase() + field.slice(1);
  const input = builder.inputType(`${name}Input`, {
    description: `Which article ${field} is about.`,
    fields: (t) => ({ articleId: t.string({ required: true, ...itsId }) }),
  });
  const payload = builder.objectRef<Triggered>(`${name}Payload`).implement({
    description: `What ${field} did.`,
    fields: (t) => ({
      articleId: t.exposeString('article_id', itsId),
      ...(publishes && {
        tweetId: t.exposeString('tweet_id', { nullable: true, description: 'Of its wrapper tweet.' }),
        publicUrl: t.exposeString('public_url', { nullable: true, description: 'Where everybody reads it.' }),
      }),
      ...(action !== deleteArticle && {
        article: t.field({
          type: ArticleRef,
          description: theArticle,
          ...articleById<Triggered>(({ article_id }) => article_id),
        }),
      }),
    }),
  });
  builder.mutationField(field, (t) =>
    t.field({
      type: payload,
      description: `${about} A call.`,
      args: { input: t.arg({ type: input, required: true, description: 'Which article.' }) },
      ...performs<{ articleId: string }, Triggered>(action, ({ articleId }) => ({ article_id: articleId })),
    }),
  );
}

trigger({
  ...{ field: 'publishArticle', action: publishArticle, publishes: true },
  about: 'Publish a draft. Premium only. A second time it is the same.',
});
trigger({
  ...{ field: 'unpublishArticle', action: unpublishArticle },
  about: 'Make a published article a draft again. A second time it is the same.',
});
trigger({ field: 'deleteArticle', action: deleteArticle, about: "Delete one of the actor's own articles." });
