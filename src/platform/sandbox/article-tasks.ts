import { parseRichText, type RichTextJson } from '../../shared/rich-text/rich-text.ts';
import type { Task, TaskInput } from '../../shared/threads/task.ts';
import type { PlatformArticle } from '../articles-port.ts';
import { InvalidResponseError, object } from '../http/wire.ts';
import { readArticle } from './read-article.ts';
import { richTextToWire } from './rich-text-wire.ts';

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
