import { z } from 'zod';

/** An id of the platform: the numeric strings of SPEC.md, whatever the platform itself uses. */
export const numericId = z
  .string()
  .regex(/^\d{1,20}$/, 'must be a numeric id')
  .meta({ examples: ['1989000000000000000'] });

/** A screen name; a leading `@` is accepted and dropped. */
export const screenName = z
  .string()
  .regex(/^@?[A-Za-z0-9_]{1,30}$/, 'must be a screen name: up to 30 letters, digits and underscores')
  .meta({ examples: ['grace'] })
  .transform((name) => name.replace('@', ''));

export const tweetTime = z.string().meta({
  description: 'Weekday, month, day, time, offset and year.',
  examples: ['Sat Nov 21 09:26:41 +0000 2026'],
});

export const isoTime = z.iso.datetime({ offset: true });

export const count = z.int().min(0);

/** Dollars as an exact decimal string. */
export const dollars = z
  .string()
  .regex(/^-?\d+(\.\d{1,6})?$/)
  .meta({ description: 'Dollars, an exact decimal.', examples: ['0.001'] });
