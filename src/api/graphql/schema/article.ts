import { articleDetail } from '../../../actions/article/detail.ts';
import { listArticles } from '../../../actions/article/list.ts';
import { type Article, article, articleStatus } from '../../../shared/model/article.ts';
import { costs } from '../cost.ts';
import type { Session } from '../session.ts';
import { listCall, oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { ArticleConnection, ArticleRef, type ArticleSource, TweetRef } from './refs.ts';
import { tweetByIdField } from './tweet.ts';
import { enumOf, fieldsOf, schemaDescription } from './zod-types.ts';

enumOf('ArticleStatus', articleStatus, 'Who can read an article.', (status) =>
  status === 'draft' ? 'Its author.' : 'Everybody. A tweet wraps it.',
);

/** Declares a field that returns the article with a given id. The field costs a call, unless only subfields in `atHand` are selected. */
export function articleByIdField<Parent>(
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

builder.node(ArticleRef, {
  description: schemaDescription(article),
  id: { resolve: ({ article_id }) => article_id },
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
    ...listCall({ action: listArticles, items: 'articles', read: (each: ArticleSource) => each }),
  }),
}));
