import type { Article } from './articles.ts';
import { type Content, mediaIn } from './content.ts';
import { compareIds } from './snowflake.ts';
import { mediaOf, uploadIdOf } from './uploads.ts';
import type { World } from './world.ts';

/** What an accepted write changed about an article. */
export type ArticleEntry =
  | {
      readonly kind: 'article';
      readonly id: string;
      readonly author: string;
      readonly at: number;
      readonly token?: string;
      readonly fingerprint?: string;
    }
  | {
      readonly kind: 'edit_article';
      readonly article: string;
      readonly at: number;
      readonly title?: string;
      readonly content?: Content;
      readonly cover?: string | null;
    }
  | { readonly kind: 'publish_article'; readonly article: string; readonly tweet: string; readonly at: number }
  | {
      readonly kind: 'unpublish_article' | 'delete_article';
      readonly article: string;
      readonly author: string;
      readonly at: number;
      readonly token?: string;
      readonly fingerprint?: string;
    };

export function applyArticleEntry(world: World, entry: ArticleEntry): void {
  if (entry.kind === 'article') {
    const author = world.users.get(entry.author);
    if (author === undefined) return;
    world.articles.begin(entry.id, author, entry.at);
    world.articles.lastId = entry.id;
    return;
  }
  const article = world.articles.find(entry.article);
  if (article === undefined) return;
  switch (entry.kind) {
    case 'edit_article': {
      const { title, content, cover } = entry;
      if (title !== undefined) article.title = title;
      if (content !== undefined) {
        attach(world, mediaIn(content), mediaIn(article.content()), entry.at);
        article.content = () => content;
      }
      if (cover !== undefined) {
        attach(world, idsOf(cover), idsOf(article.coverId), entry.at);
        article.coverId = cover;
      }
      article.updatedAt = entry.at;
      return;
    }
    case 'publish_article': {
      const last = world.lastTweetId;
      if (last !== undefined && compareIds(entry.tweet, last) <= 0) return;
      const tweet = world.addTweet({
        id: entry.tweet,
        author: article.author,
        text: article.title,
        createdAt: entry.at,
        lang: 'en',
        source: 'Web App',
        replyTo: undefined,
        quoteOf: undefined,
        media: idsOf(article.coverId)
          .flatMap((id) => world.uploads.attach(id) ?? [])
          .map(mediaOf),
        score: 0,
        createdByCall: true,
        article: { id: article.id, title: article.title },
      });
      world.activity.noteTweet(world, tweet);
      return;
    }
    case 'unpublish_article':
      takeBack(world, article, entry.at);
      return;
    case 'delete_article':
      takeBack(world, article, entry.at);
      attach(world, [], [...mediaIn(article.content()), ...idsOf(article.coverId)], entry.at);
      article.deleted = true;
      return;
  }
}

/** The wrapper tweet goes, with the cover that it showed. */
function takeBack(world: World, { tweet }: Article, at: number): void {
  if (tweet === null) return;
  world.remove(tweet);
  for (const media of tweet.media) world.uploads.release(uploadIdOf(media), at);
}

function attach(world: World, now: readonly string[], before: readonly string[], at: number): void {
  for (const id of now) world.uploads.attach(id);
  for (const id of before) world.uploads.release(id, at);
}

const idsOf = (cover: string | null) => (cover === null ? [] : [cover]);
