import type { ArticleSummary } from '../../shared/model/article.ts';
import { parseRichText, type RichTextJson } from '../../shared/rich-text/rich-text.ts';
import { readRichText, richTextToWire } from '../../shared/rich-text/wire.ts';
import type { Task, TaskInput } from '../../shared/threads/task.ts';
import type { PlatformArticle } from '../articles-port.ts';
import {
  flag,
  InvalidResponseError,
  id,
  nullable,
  object,
  oneOf,
  readIsoTime,
  text as readText,
  type Wire,
} from '../http/wire.ts';

/** Longer texts are parsed in a worker thread, because parsing takes about 0.05 ms per 1,000 characters. */
const inlineUpTo = 32_768;

/** Serializes the content of an article. */
const writeContent: Task<{ text: RichTextJson }, string> = {
  name: 'sandbox/writeContent',
  inlineUpTo,
  run: ({ text }) => JSON.stringify(richTextToWire(parseRichText(text))),
};

/** Parses an article in a response body. `nonsense` describes a part that does not match the contract. */
const readArticleBody: Task<TaskInput, PlatformArticle | { readonly nonsense: string }> = {
  name: 'sandbox/readArticle',
  inlineUpTo,
  run: ({ text }) => {
    try {
      return readArticle(object(JSON.parse(text), 'body'));
    } catch (error) {
      if (error instanceof SyntaxError) return { nonsense: 'the body is not valid JSON' };
      if (error instanceof InvalidResponseError) return { nonsense: error.message };
      throw error;
    }
  },
};

export const articleTasks = { writeContent, readArticle: readArticleBody };

function readArticle(body: Wire): PlatformArticle {
  const article = object(body.data, 'data');
  const content = readRichText(article.content, (message) => new InvalidResponseError(message));
  return {
    ...readSummary(article),
    content: { richText: JSON.stringify(content) },
    isOwn: flag(object(article.viewer, 'viewer').own, 'own'),
  };
}

export function readSummary(article: Wire): ArticleSummary {
  return {
    article_id: id(article.id, 'id'),
    title: readText(article.title, 'title'),
    status: oneOf(article.status, 'status', ['draft', 'published']),
    tweet_id: nullable(id, article.tweet_id, 'tweet_id'),
    draft_url: nullable(readText, article.draft_url, 'draft_url'),
    public_url: nullable(readText, article.public_url, 'public_url'),
    cover_media_id: nullable(id, article.cover_media_id, 'cover_media_id'),
    created_at: readIsoTime(article.created_at, 'created_at'),
    updated_at: readIsoTime(article.updated_at, 'updated_at'),
  };
}
