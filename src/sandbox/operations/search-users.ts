import { answers, pageOf } from '../contract/schema.ts';
import { isActive } from '../dataset/look-up.ts';
import { compareIds } from '../dataset/snowflake.ts';
import type { User } from '../dataset/types.ts';
import type { ActorOperation } from '../http/operation.ts';
import { pagingOf, takePage } from '../http/paged.ts';
import { badRequest } from '../http/problem.ts';
import { joined, termsOf } from '../search/terms.ts';
import { usersAnswer } from './user-lists.ts';

const LONGEST_QUERY = 512;

export const searchUsers: ActorOperation = {
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
        schema: { type: 'string', minLength: 1, maxLength: LONGEST_QUERY },
        example: 'grace',
      },
      'Count',
      'Cursor',
    ],
    responses: { 200: answers('A page.', pageOf('users', 'User')) },
  },
  handle(call) {
    const text = (call.query.get('q') ?? '').trim();
    if (text.length > LONGEST_QUERY) throw badRequest('q', `q is longer than ${LONGEST_QUERY} characters`);
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

/** Lower is better; undefined: no match. It never changes, so that pages neither repeat nor lose a user. */
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
    const names = joined(termsOf(`${user.screenName} ${user.name}`));
    terms = { names, all: names + joined(termsOf(user.description)) };
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
