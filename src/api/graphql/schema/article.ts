import { articleDetail } from '../../../actions/article/detail.ts';
import { listArticles } from '../../../actions/article/list.ts';
import type { Article, ArticleStatus as Status } from '../../../shared/model/article.ts';
import { costs } from '../cost.ts';
import type { Session } from '../session.ts';
import { given, listCall, oneCall, type PageArgs, pageArgs } from './bind.ts';
import { builder } from './builder.ts';
import { ArticleConnection, ArticleRef, type ArticleSource, TweetRef } from './refs.ts';
import { tweetById } from './tweet.ts';

export const ArticleStatus = builder.enumType('ArticleStatus', {
  description: 'Who can read an article.',
  values: {
    DRAFT: { value: 'draft', description: 'Its author.' },
    PUBLISHED: { value: 'published', description: 'Everybody; a tweet wraps it.' },
  } as const,
});

/** The article of this id: a call, unless what is `atHand` is all that is asked for. */
export function articleById<Parent>(
  id: (parent: Parent) => string,
  atHand?: { known: readonly string[]; source: (parent: Parent) => Partial<ArticleSource> },
) {
  return oneCall<Parent, unknown, Article, ArticleSource>({
    action: articleDetail,
    input: (parent) => ({ article_id: id(parent) }),
    read: (article) => article,
    view: 'article',
    atHand: {
      known: ['id', 'articleId', ...(atHand?.known ?? [])],
      source: (parent) => ({ article_id: id(parent), ...atHand?.source(parent) }) as ArticleSource,
    },
  });
}

builder.node(ArticleRef, {
  description: 'A long piece of writing.',
  id: { resolve: (article) => article.article_id },
  fields: (t) => ({
    articleId: t.exposeString('article_id', { description: "The platform's id." }),
    title: t.exposeString('title', { description: 'Its title.', ...costs({ bytes: 100 }) }),
    content: t.string({
      nullable: true,
      description: 'What it says, as Markdown. A call where the article comes from a list.',
      ...costs({ action: articleDetail, carriedBy: ['article'], bytes: 100_000 }),
      resolve: contentOf,
    }),
    status: t.field({ type: ArticleStatus, description: 'Draft or published.', resolve: ({ status }) => status }),
    tweet: t.field({
      type: TweetRef,
      description: 'The tweet that wraps it, while it is published. A call, unless only its id is asked for.',
      ...tweetById<ArticleSource>(({ tweet_id }) => tweet_id),
    }),
    coverMediaId: t.exposeString('cover_media_id', { nullable: true, description: 'Id of its cover.' }),
    draftUrl: t.exposeString('draft_url', {
      nullable: true,
      description: 'Where its author reads it, while it is a draft.',
    }),
    publicUrl: t.exposeString('public_url', {
      nullable: true,
      description: 'Where everybody reads it, while it is published.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was begun.',
      resolve: (article) => article.created_at,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When it was edited last.',
      resolve: (article) => article.updated_at,
    }),
  }),
});

async function contentOf(article: ArticleSource, _args: unknown, session: Session): Promise<string> {
  if (article.content !== undefined) return article.content;
  return (await session.read<Article>(articleDetail, { article_id: article.article_id })).content;
}

interface ListArgs extends PageArgs {
  status?: Status | null | undefined;
}

builder.queryFields((t) => ({
  article: t.field({
    type: ArticleRef,
    description: "An article of the actor's own, or what another has published, by its id. A call.",
    args: { articleId: t.arg.string({ required: true, description: "The platform's id." }) },
    ...oneCall<unknown, { articleId: string }, Article, ArticleSource>({
      action: articleDetail,
      input: (_root, { articleId }) => ({ article_id: articleId }),
      read: (article) => article,
      view: 'article',
    }),
  }),
  articles: t.field({
    type: ArticleConnection,
    description: "The actor's own articles, newest first. A call.",
    args: {
      status: t.arg({ type: ArticleStatus, description: 'Only those; left out: drafts and published ones.' }),
      ...pageArgs,
    },
    ...listCall<unknown, ArticleSource, ArticleSource, ListArgs>({
      action: listArticles,
      items: 'articles',
      input: (_root, { status }) => given({ status }),
      read: (article) => article,
    }),
  }),
}));
