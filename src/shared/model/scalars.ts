import { z } from 'zod';

/** The maximum number of digits of an id. A post of the AT Protocol needs 56. */
const maxIdDigits = 64;

/** Matches an id of the platform. */
export const numericIdPattern = new RegExp(`^\\d{1,${maxIdDigits}}$`);

/** Matches `<user_id>:<user_id>`. */
export const idPairPattern = new RegExp(`^\\d{1,${maxIdDigits}}:\\d{1,${maxIdDigits}}$`);

/** An id of the platform. It is always a numeric string (docs/rest.md, Responses), even if the platform has another form. */
export const numericId = z
  .string()
  .regex(numericIdPattern, `must be a numeric id of up to ${maxIdDigits} digits`)
  .meta({ examples: ['1989000000000000000'] });

export const tweetId = numericId.meta({ description: "The platform's id of the tweet." });
export const userId = numericId.meta({ description: "The platform's id of the user." });

/** A screen name in an input. A leading `@` is accepted and removed. */
export const screenName = z
  .string()
  // A longer text is not matched against the pattern, because matching 20 MB would exceed the size of the stack.
  .max(254, { error: 'must be at most 254 characters', abort: true })
  .regex(
    /^@?[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*$/,
    'must be a screen name, such as grace or alice.example.com',
  )
  .meta({ examples: ['grace'] })
  .transform((name) => name.replace('@', ''));

/** A screen name as the platform spells it. */
export const userName = z.string().meta({ description: 'Screen name of the user, without @.', examples: ['grace'] });

/** The timestamp of tweets and authors: weekday, month, day, time, offset and year. */
export const tweetTime = z.string().meta({ examples: ['Sat Nov 21 09:26:41 +0000 2026'] });

export const isoTime = z.iso.datetime({ offset: true });

/** A timestamp, or an empty string if it is unknown. */
export const timeOrEmpty = isoTime.or(z.literal(''));

export const count = z.int().min(0);

/** The size of a file in bytes. */
export const byteCount = z.int().min(0);

/** An amount of dollars as an exact decimal string. */
export const dollars = z
  .string()
  .regex(/^-?\d+(\.\d{1,6})?$/)
  .meta({ description: 'Dollars, an exact decimal.', examples: ['0.001'] });

/** Patterns of the published schemas for text that `checkInput` accepts. They use the syntax that ECMA-262 and RE2 share. */
export const textPattern = '^[^\\x00]*$';
export const notBlankPattern = '^[^\\x00]*[^\\s\\x00][^\\x00]*$';

/** The text of a search. */
export const searchText = z
  .string()
  .min(1)
  .max(512, { error: 'must be at most 512 characters', abort: true })
  .regex(/\S/, 'must not be blank')
  .meta({ pattern: notBlankPattern });
