import { z } from 'zod';
import { mediaData, mediaUrl } from '../media/media-input.ts';
import { malformedField } from '../shared/errors/fields.ts';
import { notBlankPattern, numericId } from '../shared/model/scalars.ts';
import type { ExpensiveCheck, TaskRunner } from '../shared/threads/task.ts';
import { TaskLimitError } from '../shared/threads/task-pool.ts';
import { contentTasks, type ParsedContent } from './content-tasks.ts';

const longestTitle = 100;
const longestContent = 100_000;

export const exampleMarkdown = '# Why looms\n\nThey **remember** patterns.\n\n- warp\n- weft';

/** Returns a schema for texts of 1 to `longest` characters. Characters are Unicode code points, as in JSON Schema. */
function textOf(longest: number) {
  const reason = `must be 1 to ${longest.toLocaleString('en')} characters`;
  return (
    z
      .string()
      .min(1, reason)
      // Longer texts are refused here, so that the later checks do not process a text of up to 24 MiB.
      .refine((text) => text.length <= 2 * longest && (text.length <= longest || [...text].length <= longest), {
        error: reason,
        abort: true,
      })
      .regex(/\S/, 'must not be blank')
      .refine((text) => text.isWellFormed(), 'holds half of a surrogate pair')
      .meta({ maxLength: longest, pattern: notBlankPattern })
  );
}

/** The input fields of an article (docs/rest.md, Articles). At most one of the cover fields is allowed. */
export const articleFields = {
  title: textOf(longestTitle).meta({ description: 'Title, up to 100 characters.', examples: ['On looms'] }),
  content: textOf(longestContent).meta({
    description:
      'Markdown (CommonMark), up to 100,000 characters: headings, bold, italic, lists, links, images, code, quotes. HTML ' +
      'becomes plain text, and so do extensions of CommonMark, such as tables. Up to 50 images are fetched and uploaded.',
    examples: [exampleMarkdown],
  }),
  cover_media_id: numericId.optional().meta({ description: 'Id of uploaded media to be the cover.' }),
  cover_image_url: mediaUrl
    .optional()
    .meta({ description: 'Address from which the gateway downloads the cover picture.' }),
  cover_image_base64: mediaData.optional().meta({ description: 'The cover as base64, or as a data: URI of base64.' }),
};

export const covers = ['cover_media_id', 'cover_image_url', 'cover_image_base64'] as const;

export interface ArticleFields {
  title?: string | undefined;
  content?: string | undefined;
  cover_media_id?: string | undefined;
  cover_image_url?: string | undefined;
  cover_image_base64?: z.output<typeof mediaData> | undefined;
}

/** The input fields of an article after `contentCheck`, with parsed content. */
export type CheckedFields = Omit<ArticleFields, 'content'> & { content?: ParsedContent | undefined };

/** Returns the expensive check of an article's fields, which parses the Markdown. */
export function contentCheck<Fields extends ArticleFields>(): ExpensiveCheck<
  Fields,
  Omit<Fields, 'content'> & CheckedFields
> {
  return {
    size: ({ content = '' }) => content.length,
    check: async ({ content, ...rest }, tasks) =>
      content === undefined ? rest : { ...rest, content: await readContent(content, tasks) },
  };
}

async function readContent(text: string, tasks: TaskRunner): Promise<ParsedContent> {
  try {
    const outcome = await tasks.run(contentTasks.readMarkdown, { text });
    if ('refused' in outcome) throw malformedField('content', outcome.refused);
    return outcome;
  } catch (error) {
    if (!(error instanceof TaskLimitError)) throw error;
    throw malformedField('content', 'is too complex to be read in time: shorten it, or use less markup');
  }
}
