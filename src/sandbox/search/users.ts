import type { Dataset } from '../dataset/dataset.ts';
import { compareIds } from '../dataset/snowflake.ts';
import type { User } from '../dataset/types.ts';
import { joinTerms, termsOf } from './match.ts';

/** Yields the users who match all words, the best match first, after a position. */
export function* searchUsers(
  { users }: Dataset,
  words: readonly string[],
  after: string | undefined,
): Generator<readonly [user: User, position: string]> {
  const found = [...users.values()].flatMap((user) => {
    const rank = rankOf(user, words);
    return rank === undefined ? [] : [{ user, rank }];
  });
  found.sort((a, b) => a.rank - b.rank || compareIds(a.user.id, b.user.id));
  const [rank = 0, id = '0'] = after === undefined ? [] : after.split(':');
  for (const each of found) {
    const isAfter = each.rank > Number(rank) || (each.rank === Number(rank) && compareIds(each.user.id, id) > 0);
    if (isAfter) yield [each.user, `${each.rank}:${each.user.id}`];
  }
}

/**
 * Returns the rank of a user for a query, lower is better, or undefined if the user does not match. The rank never
 * changes, so that pages do not repeat or skip users.
 */
function rankOf(user: User, words: readonly string[]): number | undefined {
  if (user.screenName.toLowerCase() === words.join(' ')) return 0;
  const { names, all } = termsOfUser(user);
  if (words.every((word) => names.includes(` ${word}`))) return 1;
  return words.every((word) => all.includes(` ${word}`)) ? 2 : undefined;
}

interface UserTerms {
  readonly names: string;
  readonly all: string;
}

const known = new WeakMap<User, UserTerms>();

function termsOfUser(user: User): UserTerms {
  let terms = known.get(user);
  if (terms === undefined) {
    const names = joinTerms(termsOf(`${user.screenName} ${user.name}`));
    terms = { names, all: names + joinTerms(termsOf(user.description)) };
    known.set(user, terms);
  }
  return terms;
}
