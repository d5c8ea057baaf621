import type { ArticleStatus, ArticleSummary } from '../../shared/model/article.ts';
import type { PlatformArticle } from '../articles-port.ts';
import { readRichText } from './rich-text-wire.ts';
import { flag, id, isoTime, NonsenseError, nullable, object, text, type Wire } from './wire.ts';

export function readArticle(body: Wire): PlatformArticle {
  const article = object(body, 'article');
  return {
    ...readSummary(article),
    content: JSON.stringify(readRichText(object(article, 'content'))),
    isOwn: flag(object(article, 'viewer'), 'own'),
  };
}

export function readSummary(article: Wire): ArticleSummary {
  return {
    article_id: id(article, 'id'),
    title: text(article, 'title'),
    status: readStatus(article),
    tweet_id: nullable(id, article, 'tweet_id'),
    draft_url: nullable(text, article, 'draft_url'),
    public_url: nullable(text, article, 'public_url'),
    cover_media_id: nullable(id, article, 'cover_media_id'),
    created_at: isoTime(article, 'created_at'),
    updated_at: isoTime(article, 'updated_at'),
  };
}

export function readStatus(article: Wire): ArticleStatus {
  const status = text(article, 'status');
  if (status === 'draft' || status === 'published') return status;
  throw new NonsenseError(`status is "${status.slice(0, 40)}"`);
}
