import { compareIds } from '../dataset/snowflake.ts';
import type { User } from '../dataset/types.ts';
import { isActive } from '../dataset/visibility.ts';
import { jsonResponse, pageOf } from '../http/contract.ts';
import type { ActorOperation } from '../http/operation.ts';
import { pagingOf, takePage } from '../http/paged.ts';
import { badRequest } from '../refusal.ts';
import { joinTerms, termsOf } from '../search/match.ts';
import { usersAnswer } from './user-lists.ts';

const MAX_QUERY_LENGTH = 512;

export const searchUsersOperation: ActorOperation = {
  id: 'searchUsers',
  method: 'GET',
  path: '/api/search/users',
  access: 'actor',
  contract: {
    summary: 'Searches users by name, the best match first.',
    description:
      'Each word of the query must be a prefix of a word in the screen name, the name or the description (case-insensitive). The order is: the user whose screen name is the query, users whose screen name or name matches, users whose description matches; within each group, the oldest account first.',
    parameters: [
      {
        name: 'q',
        in: 'query',
        required: true,
        schema: { type: 'string', minLength: 1, maxLength: MAX_QUERY_LENGTH },
        example: 'grace',
      },
      'Count',
      'Cursor',
    ],
    responses: { 200: jsonResponse('A page.', pageOf('users', 'User')) },
  },
  handle(call) {
    const text = (call.query.get('q') ?? '').trim();
    if (text.length > MAX_QUERY_LENGTH) throw badRequest('q', `q is longer than ${MAX_QUERY_LENGTH} characters`);
    const words = termsOf(text);
    if (words.length === 0) throw badRequest('q', 'holds nothing to search for: give a name or a word');
    const paging = pagingOf(call, 'search-users', text);
    const found = [...call.platform.dataset.users.values()].flatMap((user) => {
      const rank = rankOf(user, words);
      return rank === undefined ? [] : [{ user, rank }];
    });
    found.sort((a, b) => a.rank - b.rank || compareIds(a.user.id, b.user.id));
    const page = takePage(after(found, paging.after), paging.count, isActive);
    return usersAnswer(call, '', page, paging.seal(page.next));
  },
};

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

interface Found {
  readonly user: User;
  readonly rank: number;
}

function* after(found: readonly Found[], position: string | undefined): Generator<readonly [User, string]> {
  const [rank = 0, id = '0'] = position === undefined ? [] : position.split(':');
  for (const each of found) {
    const isAfter = each.rank > Number(rank) || (each.rank === Number(rank) && compareIds(each.user.id, id) > 0);
    if (isAfter) yield [each.user, `${each.rank}:${each.user.id}`];
  }
}
