import { z } from 'zod';

/** An id of the platform: a numeric string (docs/rest.md, Responses), whatever the platform itself uses. */
export const numericId = z
  .string()
  .regex(/^\d{1,20}$/, 'must be a numeric id')
  .meta({ examples: ['1989000000000000000'] });

export const tweetId = numericId.meta({ description: "The platform's id of the tweet." });
export const userId = numericId.meta({ description: "The platform's id of the user." });

/** A screen name; a leading `@` is accepted and dropped. */
export const screenName = z
  .string()
  .regex(/^@?[A-Za-z0-9_]{1,30}$/, 'must be a screen name: up to 30 letters, digits and underscores')
  .meta({ examples: ['grace'] })
  .transform((name) => name.replace('@', ''));

/** A screen name as the platform has it. */
export const userName = z.string().meta({ description: 'Screen name of the user, without @.', examples: ['grace'] });

/** The time of tweets and authors: weekday, month, day, time, offset and year. */
export const tweetTime = z.string().meta({ examples: ['Sat Nov 21 09:26:41 +0000 2026'] });

export const isoTime = z.iso.datetime({ offset: true });

/** A time that is empty if it is not known. */
export const timeOrEmpty = isoTime.or(z.literal(''));

export const count = z.int().min(0);

/** The size of a file. */
export const byteCount = z.int().min(0);

/** Dollars as an exact decimal string. */
export const dollars = z
  .string()
  .regex(/^-?\d+(\.\d{1,6})?$/)
  .meta({ description: 'Dollars, an exact decimal.', examples: ['0.001'] });

/** Patterns for the published schemas, in the syntax that ECMA-262 and RE2 share: the texts that `checkInput` accepts. */
export const textPattern = '^[^\\x00]*$';
export const notBlankPattern = '^[^\\x00]*[^\\s\\x00][^\\x00]*$';

/** The text of a search. */
export const searchText = z
  .string()
  .min(1)
  .regex(/\S/, 'must not be blank')
  .max(512, 'must be at most 512 characters')
  .meta({ pattern: notBlankPattern });
