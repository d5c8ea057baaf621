import type { ArticleContent } from '../../shared/rich-text/wire.ts';
import type { Tokened } from '../chat/entries.ts';
import type { SandboxArticle } from './articles.ts';
import type { Dataset } from './dataset.ts';
import { compareIds } from './snowflake.ts';
import { mediaOf, uploadIdOf } from './uploads.ts';

interface Edits {
  readonly at: number;
  readonly title?: string;
  readonly content?: ArticleContent;
  readonly cover?: string | null;
}

/** A journal entry for a write to an article. */
export type ArticleEntry =
  | (Edits & Tokened & { readonly kind: 'article'; readonly id: string; readonly author: string })
  | (Edits & { readonly kind: 'edit_article'; readonly article: string })
  | { readonly kind: 'publish_article'; readonly article: string; readonly tweet: string; readonly at: number }
  | (Tokened & {
      readonly kind: 'unpublish_article' | 'delete_article';
      readonly article: string;
      readonly author: string;
      readonly at: number;
    });

/** Applies an entry. Returns false if its author or article does not exist. */
export function applyArticleEntry(dataset: Dataset, entry: ArticleEntry): boolean {
  if (entry.kind === 'article') {
    const author = dataset.users.get(entry.author);
    if (author === undefined) return false;
    edit(dataset, dataset.articles.create(entry.id, author, entry.at), entry);
    dataset.articles.lastId = entry.id;
    return true;
  }
  const article = dataset.articles.find(entry.article);
  if (article === undefined) return false;
  switch (entry.kind) {
    case 'edit_article':
      edit(dataset, article, entry);
      return true;
    case 'publish_article': {
      const last = dataset.lastTweetId;
      if (last !== undefined && compareIds(entry.tweet, last) <= 0) return false;
      const tweet = dataset.addTweet({
        id: entry.tweet,
        author: article.author,
        text: article.title,
        createdAt: entry.at,
        lang: 'en',
        source: 'Web App',
        replyTo: undefined,
        quoteOf: undefined,
        media: idsOf(article.coverId)
          .flatMap((id) => dataset.uploads.attach(id) ?? [])
          .map(mediaOf),
        score: 0,
        createdByCall: true,
        article: { id: article.id, title: article.title },
      });
      dataset.activity.recordTweet(tweet);
      return true;
    }
    case 'unpublish_article':
      unpublish(dataset, article, entry.at);
      return true;
    case 'delete_article':
      unpublish(dataset, article, entry.at);
      attach(dataset, [], [...mediaIn(article.content()), ...idsOf(article.coverId)], entry.at);
      article.deleted = true;
      return true;
  }
}

function edit(dataset: Dataset, article: SandboxArticle, { title, content, cover, at }: Edits): void {
  if (title !== undefined) article.title = title;
  if (content !== undefined) {
    attach(dataset, mediaIn(content), mediaIn(article.content()), at);
    article.content = () => content;
  }
  if (cover !== undefined) {
    attach(dataset, idsOf(cover), idsOf(article.coverId), at);
    article.coverId = cover;
  }
  article.updatedAt = at;
}

/** Deletes the tweet that publishes the article, and releases the cover image of the tweet. */
function unpublish(dataset: Dataset, { tweet }: SandboxArticle, at: number): void {
  if (tweet === null) return;
  dataset.remove(tweet);
  for (const media of tweet.media) dataset.uploads.release(uploadIdOf(media), at);
}

function attach(dataset: Dataset, now: readonly string[], before: readonly string[], at: number): void {
  for (const id of now) dataset.uploads.attach(id);
  for (const id of before) dataset.uploads.release(id, at);
}

const idsOf = (cover: string | null) => (cover === null ? [] : [cover]);

/** Returns the ids of the media that the content shows. */
export function mediaIn({ entities }: ArticleContent): string[] {
  return entities.flatMap((entity) => (entity.type === 'MEDIA' ? [entity.media_id] : []));
}
