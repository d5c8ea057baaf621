import type { PlatformArticle } from '../platform/port.ts';
import type { Article } from '../shared/model/article.ts';
import type { FoundConstruct } from '../shared/rich-text/extensions.ts';
import { picturesIn, withMediaIds } from '../shared/rich-text/pictures.ts';
import { deepestNesting, parseRichText, type RichText, type RichTextJson } from '../shared/rich-text/rich-text.ts';
import type { Task, TaskInput, TaskRunner } from '../shared/threads/task.ts';

const mostPictures = 50;

/** The content of an article, parsed from the caller's Markdown. */
export interface ArticleContent {
  readonly text: RichTextJson;
  /** The addresses of its images, each once. */
  readonly pictures: readonly string[];
}

type ReadOutcome = ArticleContent | { readonly refused: string };

/** Parses Markdown. `refused` is the reason for which it is refused. */
const readMarkdown: Task<TaskInput, ReadOutcome> = {
  name: 'readMarkdown',
  inlineUpTo: 0,
  run: async ({ text }) => {
    const { fromMarkdown, TooDeepError } = await import('../shared/rich-text/from-markdown.ts');
    const { UnsupportedMarkdownError } = await import('../shared/rich-text/extensions.ts');
    try {
      const content = fromMarkdown(text);
      if (!showsAnything(content)) return { refused: 'must not be blank' };
      const pictures = picturesIn(content);
      if (pictures.length > mostPictures) return { refused: `may show at most ${mostPictures} images` };
      const odd = pictures.findIndex((url) => !/^(?:https?:\/\/|data:)/i.test(url));
      if (odd >= 0) return { refused: `image ${odd + 1} must have an http:// or https:// address` };
      return { text: JSON.stringify(content), pictures };
    } catch (error) {
      if (error instanceof TooDeepError) return { refused: `lists and quotes may nest ${deepestNesting / 2} deep` };
      if (error instanceof UnsupportedMarkdownError) return { refused: unsupported(error.constructs) };
      throw error;
    }
  },
};

function unsupported(constructs: readonly FoundConstruct[]): string {
  const each = constructs.map(
    ({ name, line }) => `${name} ${name.endsWith('s') ? 'are' : 'is'} not supported (line ${line})`,
  );
  return `${each.join('; ')}. Remove the markup, or put it into a code block or code span`;
}

/** Returns false for a text without visible content, such as link definitions only (`[a]: https://a.example`). */
function showsAnything({ blocks }: RichText): boolean {
  return blocks.some(({ type, text }) => type === 'divider' || /\S/.test(text));
}

/** Converts rich text to Markdown. */
const writeMarkdown: Task<{ text: RichTextJson }, string> = {
  name: 'writeMarkdown',
  inlineUpTo: 0,
  run: async ({ text }) => {
    const { toMarkdown } = await import('../shared/rich-text/to-markdown.ts');
    return toMarkdown(parseRichText(text));
  },
};

interface Placement extends TaskInput {
  readonly text: RichTextJson;
  /** The platform's ids of the images by their addresses. */
  readonly mediaIds: ReadonlyMap<string, string>;
}

/** Adds the platform's ids of the images to rich text. */
const placeMedia: Task<Placement, RichTextJson> = {
  name: 'placeMedia',
  inlineUpTo: 32_768,
  run: ({ text, mediaIds }) => JSON.stringify(withMediaIds(parseRichText(text), mediaIds)),
};

export const contentTasks = { readMarkdown, writeMarkdown, placeMedia };

/** Returns an article as callers see it, with its content as Markdown. */
export async function asArticle(
  { content, isOwn: _isOwn, ...summary }: PlatformArticle,
  tasks: TaskRunner,
): Promise<Article> {
  return { ...summary, content: await tasks.run(contentTasks.writeMarkdown, { text: content }) };
}
