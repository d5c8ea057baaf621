import type { ArticleStatus, ArticleSummary } from '../../shared/model/article.ts';
import type { PlatformArticle } from '../articles-port.ts';
import { flag, InvalidResponseError, id, nullable, object, readIsoTime, text, type Wire } from '../http/wire.ts';
import { readRichText } from './rich-text-wire.ts';

export function readArticle(body: Wire): PlatformArticle {
  const article = object(body.data, 'data');
  return {
    ...readSummary(article),
    content: { richText: JSON.stringify(readRichText(object(article.content, 'content'))) },
    isOwn: flag(object(article.viewer, 'viewer').own, 'own'),
  };
}

export function readSummary(article: Wire): ArticleSummary {
  return {
    article_id: id(article.id, 'id'),
    title: text(article.title, 'title'),
    status: readStatus(article),
    tweet_id: nullable(id, article.tweet_id, 'tweet_id'),
    draft_url: nullable(text, article.draft_url, 'draft_url'),
    public_url: nullable(text, article.public_url, 'public_url'),
    cover_media_id: nullable(id, article.cover_media_id, 'cover_media_id'),
    created_at: readIsoTime(article.created_at, 'created_at'),
    updated_at: readIsoTime(article.updated_at, 'updated_at'),
  };
}

function readStatus(article: Wire): ArticleStatus {
  const status = text(article.status, 'status');
  if (status === 'draft' || status === 'published') return status;
  throw new InvalidResponseError(`status is "${status.slice(0, 40)}"`);
}
