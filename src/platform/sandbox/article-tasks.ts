import { parseRichText, type RichTextJson } from '../../shared/rich-text/rich-text.ts';
import type { Task, TaskInput } from '../../shared/threads/task.ts';
import type { PlatformArticle } from '../articles-port.ts';
import { readArticle } from './read-article.ts';
import { richTextToWire } from './rich-text-wire.ts';
import { asWire, NonsenseError, parseJson } from './wire.ts';

/** Parsing and checking JSON takes about 0.05 ms for each 1,000 characters. */
const inlineUpTo = 32_768;

/** Returns the body of a request that sets the content of an article. */
const writeContent: Task<{ text: RichTextJson }, string> = {
  name: 'sandbox/writeContent',
  inlineUpTo,
  run: ({ text }) => JSON.stringify({ content: richTextToWire(parseRichText(text)) }),
};

/** Reads the article in a response body. `nonsense` describes the part of the body that does not match the contract. */
const readArticleBody: Task<TaskInput, PlatformArticle | { readonly nonsense: string }> = {
  name: 'sandbox/readArticle',
  inlineUpTo,
  run: ({ text }) => {
    try {
      return readArticle(asWire(parseJson(text), 'body'));
    } catch (error) {
      if (error instanceof NonsenseError) return { nonsense: error.message };
      throw error;
    }
  },
};

export const articleTasks = { writeContent, readArticle: readArticleBody };
