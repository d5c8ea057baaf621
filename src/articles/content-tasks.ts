import type { PlatformArticle } from '../platform/port.ts';
import type { Article } from '../shared/model/article.ts';
import { deepestNesting, parseRichText, type RichText, type RichTextJson } from '../shared/rich-text/rich-text.ts';
import type { Task, TaskInput, TaskRunner } from '../shared/threads/task.ts';

const mostPictures = 50;

/** The parsed content of an article. */
export interface ParsedContent {
  readonly text: RichTextJson;
  /** The URLs of the images, without duplicates. */
  readonly pictures: readonly string[];
}

type ReadOutcome = ParsedContent | { readonly refused: string };

/** Parses Markdown in a worker thread. If the text is not accepted, `refused` has the reason. */
const readMarkdown: Task<TaskInput, ReadOutcome> = {
  name: 'readMarkdown',
  inlineUpTo: 0,
  run: async ({ text }) => {
    const { fromMarkdown, TooDeepError } = await import('../shared/rich-text/from-markdown.ts');
    try {
      const content = fromMarkdown(text);
      if (!isVisible(content)) return { refused: 'must not be blank' };
      const pictures = picturesIn(content);
      if (pictures.length > mostPictures) return { refused: `may show at most ${mostPictures} images` };
      const odd = pictures.findIndex((url) => !/^(?:https?:\/\/|data:)/i.test(url));
      if (odd >= 0) return { refused: `image ${odd + 1} must have an http:// or https:// address` };
      return { text: JSON.stringify(content), pictures };
    } catch (error) {
      if (error instanceof TooDeepError) return { refused: `lists and quotes may nest ${deepestNesting / 2} deep` };
      throw error;
    }
  },
};

/** Returns the URLs of the pictures in a text, each once, in order of appearance. */
function picturesIn({ entities }: RichText): string[] {
  const urls = entities.flatMap((entity) => (entity.type === 'MEDIA' ? [entity.url] : []));
  return [...new Set(urls)];
}

/**
 * Returns false if nothing of the text is visible, for example if it has link definitions only (`[a]:
 * https://a.example`).
 */
function isVisible({ blocks }: RichText): boolean {
  return blocks.some(({ type, text }) => type === 'divider' || /\S/.test(text));
}

/** Converts rich text to Markdown in a worker thread. */
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
  /** Maps the URLs of images to media ids of the platform. */
  readonly mediaIds: ReadonlyMap<string, string>;
}

/** Replaces the URLs of images in rich text by media ids of the platform. */
const placeMedia: Task<Placement, RichTextJson> = {
  name: 'placeMedia',
  inlineUpTo: 32_768,
  run: ({ text, mediaIds }) => {
    const { entities, ...rest } = parseRichText(text);
    const placed = entities.map((entity) =>
      entity.type === 'MEDIA' ? { ...entity, mediaId: mediaIds.get(entity.url) ?? null } : entity,
    );
    return JSON.stringify({ ...rest, entities: placed });
  },
};

export const contentTasks = { readMarkdown, writeMarkdown, placeMedia };

/** Converts an article of the platform to the form of the API, with its content as Markdown. */
export async function asArticle(
  { content, isOwn: _isOwn, ...summary }: PlatformArticle,
  tasks: TaskRunner,
): Promise<Article> {
  const markdown =
    'markdown' in content ? content.markdown : await tasks.run(contentTasks.writeMarkdown, { text: content.richText });
  return { ...summary, content: markdown };
}
