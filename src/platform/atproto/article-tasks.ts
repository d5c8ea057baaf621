import { parseRichText, type RichTextJson } from '../../shared/rich-text/rich-text.ts';
import type { Task, TaskInput } from '../../shared/threads/task.ts';

/** The maximum length of the description in a link card. WhiteWind's pages use the same length. */
const maxDescription = 300;

/** Returns the media ids in rich text. */
const mediaIds: Task<{ text: RichTextJson }, string[]> = {
  name: 'atproto/mediaIds',
  inlineUpTo: 32_768,
  run: ({ text }) => [
    ...new Set(parseRichText(text).entities.flatMap((each) => (each.type === 'MEDIA' ? (each.mediaId ?? []) : []))),
  ],
};

interface WrittenText extends TaskInput {
  readonly text: RichTextJson;
  /** The addresses of media by id. */
  readonly urls: ReadonlyMap<string, string>;
}

/** Converts rich text to Markdown. */
const writeMarkdown: Task<WrittenText, string> = {
  name: 'atproto/writeMarkdown',
  inlineUpTo: 0,
  run: async ({ text, urls }) => {
    const { toMarkdown } = await import('../../shared/rich-text/to-markdown.ts');
    const richText = parseRichText(text);
    const entities = richText.entities.map((each) =>
      each.type === 'MEDIA' ? { ...each, url: urls.get(each.mediaId ?? '') ?? each.url } : each,
    );
    return toMarkdown({ ...richText, entities });
  },
};

/** Returns the first words of Markdown as plain text. Returns an empty string for Markdown that cannot be parsed. */
const describe: Task<TaskInput, string> = {
  name: 'atproto/describe',
  inlineUpTo: 0,
  run: async ({ text }) => {
    const { fromMarkdown } = await import('../../shared/rich-text/from-markdown.ts');
    const { mediaSign } = await import('../../shared/rich-text/rich-text.ts');
    try {
      const words = fromMarkdown(text).blocks.map((block) => block.text.replaceAll(mediaSign, ''));
      const plain = words.join(' ').replace(/\s+/g, ' ').trim();
      return [...plain].slice(0, maxDescription).join('');
    } catch {
      return '';
    }
  },
};

export const articleTasks = { mediaIds, writeMarkdown, describe };
