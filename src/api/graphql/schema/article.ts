import type { OutputOf } from '../../../actions/action.ts';
import { createArticle } from '../../../actions/article/create.ts';
import { articleDetail, listArticles } from '../../../actions/article/read.ts';
import { deleteArticle, publishArticle, unpublishArticle } from '../../../actions/article/states.ts';
import { updateArticle, updatedParts } from '../../../actions/article/update.ts';
import { type Article, article, articleStatus } from '../../../shared/model/article.ts';
import { costs } from '../document/cost.ts';
import type { Session } from '../execute/session.ts';
import { listCall, oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { mutation } from './mutation.ts';
import { ArticleConnection, ArticleRef, type ArticleSource, nodeType, TweetRef } from './refs.ts';
import { tweetByIdField } from './tweet.ts';
import { enumOf, fieldsOf, objectOf, schemaDescription } from './zod-types.ts';

enumOf('ArticleStatus', articleStatus, 'Who can read an article.', (status) =>
  status === 'draft' ? 'Its author.' : 'Everybody. A tweet wraps it.',
);

/** Declares a field that returns the article with a given id. The field costs a call, unless only subfields in `atHand` are selected. */
function articleByIdField<Parent>(
  id: (parent: Parent) => string,
  atHand?: { known: readonly string[]; source: (parent: Parent) => Partial<ArticleSource> },
) {
  return oneCall({
    action: articleDetail,
    input: (parent: Parent) => ({ article_id: id(parent) }),
    about: 'The article.',
    read: (found): ArticleSource => found,
    view: 'article',
    atHand: {
      known: ['id', 'articleId', ...(atHand?.known ?? [])],
      source: (parent: Parent) => ({ article_id: id(parent), ...atHand?.source(parent) }) as ArticleSource,
    },
  });
}

nodeType(ArticleRef, {
  description: schemaDescription(article),
  id: ({ article_id }) => article_id,
  fields: (t) => ({
    ...fieldsOf(t, article, { omit: ['content', 'tweet_id'], options: { title: costs({ bytes: 100 }) } }),
    content: t.string({
      nullable: true,
      description: `${schemaDescription(article.shape.content)} Costs a call if the article comes from a list.`,
      ...costs({ action: articleDetail, carriedBy: ['article'], bytes: 100_000 }),
      resolve: contentOf,
    }),
    tweet: t.field({
      type: TweetRef,
      ...tweetByIdField(({ tweet_id }: ArticleSource) => tweet_id, {
        about: 'The tweet that wraps a published article.',
      }),
    }),
  }),
});

async function contentOf(source: ArticleSource, _args: unknown, session: Session): Promise<string> {
  if (source.content !== undefined) return source.content;
  return (await session.read<Article>(articleDetail, { article_id: source.article_id })).content;
}

builder.queryFields((t) => ({
  article: t.field({
    type: ArticleRef,
    ...oneCall({ action: articleDetail, read: (found): ArticleSource => found, view: 'article' }),
  }),
  articles: t.field({
    type: ArticleConnection,
    ...listCall({ action: listArticles, items: 'articles' }),
  }),
}));

const files = { cover_image_base64: 'coverImage' };

mutation('createArticle', createArticle, {
  input: { files },
  payload: {
    fields: (t) => ({
      article: t.field({
        type: ArticleRef,
        ...articleByIdField(({ article_id }: OutputOf<typeof createArticle>) => article_id, {
          known: ['status', 'draftUrl', 'publicUrl', 'coverMediaId'],
          source: (made) => made,
        }),
      }),
    }),
  },
});

objectOf('UpdatedArticleParts', updatedParts);

for (const [field, action, input] of [
  ['updateArticle', updateArticle, { files }],
  ['publishArticle', publishArticle, {}],
  ['unpublishArticle', unpublishArticle, {}],
] as const) {
  mutation(field, action, {
    input,
    payload: {
      fields: (t) => ({
        article: t.field({
          type: ArticleRef,
          ...articleByIdField(({ article_id }: Record<string, unknown>) => String(article_id)),
        }),
      }),
    },
  });
}
mutation('deleteArticle', deleteArticle);
