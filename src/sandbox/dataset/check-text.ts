import { Problem } from '../http/problem.ts';
import { weightedLength } from './tweet-text.ts';
import type { User } from './types.ts';

const LIMIT = 280;
const PREMIUM_LIMIT = 25_000;
/** Beyond it no text can be short enough in earnest, and counting would hold everybody up. */
const LONGEST_COUNTED = 200_000;

/** Refuses what nobody, or not this author, can tweet. With media it may say nothing. */
export function checkText(text: string, { premium }: Pick<User, 'premium'>, hasMedia = false): void {
  if (text === '' && !hasMedia) throw new Problem(400, 'text_empty', 'A tweet needs text', { field: 'text' });
  const limit = premium ? PREMIUM_LIMIT : LIMIT;
  const length = text.length > LONGEST_COUNTED ? text.length : weightedLength(text);
  if (length <= limit) return;
  throw new Problem(400, 'text_too_long', `The text is ${length} long; ${limit} are allowed`, {
    field: 'text',
    length,
    limit,
  });
}
