import { z } from 'zod';
import { fromMarkdown, TooDeepError } from '../../model/rich-text/from-markdown.ts';
import { picturesIn } from '../../model/rich-text/pictures.ts';
import { deepestNesting, type RichText } from '../../model/rich-text/rich-text.ts';
import { numericId } from '../../model/scalars.ts';
import { mediaData, mediaUrl } from '../media-input.ts';

const longestTitle = 100;
const longestContent = 100_000;
const mostPictures = 50;

/** Text of so many characters (Unicode code points, as JSON Schema counts them). */
function textOf(longest: number) {
  const reason = `must be 1 to ${longest.toLocaleString('en')} characters`;
  return z
    .string()
    .min(1, reason)
    .regex(/\S/, 'must not be blank')
    .refine((text) => text.length <= longest || [...text].length <= longest, reason)
    .refine((text) => text.isWellFormed(), 'holds half of a surrogate pair')
    .meta({ maxLength: longest });
}

/** Markdown, read as soon as it comes in: what is wrong with it is known before it costs anything. */
const markdown = textOf(longestContent).transform((text, { issues }): RichText => {
  const refuse = (message: string) => {
    issues.push({ code: 'custom', message, input: text });
    return z.NEVER;
  };
  try {
    const content = fromMarkdown(text);
    if (!showsAnything(content)) return refuse('must not be blank');
    const pictures = picturesIn(content);
    if (pictures.length > mostPictures) return refuse(`may show at most ${mostPictures} images`);
    const odd = pictures.findIndex((url) => !/^(?:https?:\/\/|data:)/i.test(url));
    if (odd >= 0) return refuse(`image ${odd + 1} must have an http:// or https:// address`);
    return content;
  } catch (error) {
    if (error instanceof TooDeepError) return refuse(`lists and quotes may nest ${deepestNesting / 2} deep`);
    throw error;
  }
});

/** What only defines links, such as `[a]: https://a.example`, shows nothing. */
function showsAnything({ blocks }: RichText): boolean {
  return blocks.some(({ type, text }) => type === 'divider' || /\S/.test(text));
}

/** What an article is made of, as callers give it (SPEC.md, Articles). At most one of the covers. */
export const articleFields = {
  title: textOf(longestTitle).meta({ description: 'Up to 100 characters.', examples: ['On looms'] }),
  content: markdown.meta({
    description:
      'Markdown, up to 100,000 characters: headings, bold, italic, lists, links, images, code, quotes. HTML becomes plain ' +
      'text. Up to 50 images are fetched and uploaded.',
  }),
  cover_media_id: numericId.optional().meta({ description: 'The cover, uploaded before.' }),
  cover_image_url: mediaUrl.optional().meta({ description: 'Instead: the address of the cover.' }),
  cover_image_base64: mediaData.optional().meta({ description: 'Instead: the cover as base64, or a data: URI.' }),
};

export const covers = ['cover_media_id', 'cover_image_url', 'cover_image_base64'] as const;

export const articleId = numericId.meta({ description: 'The article.' });

export interface ArticleFields {
  title?: string | undefined;
  content?: RichText | undefined;
  cover_media_id?: string | undefined;
  cover_image_url?: string | undefined;
  cover_image_base64?: z.output<typeof mediaData> | undefined;
}
