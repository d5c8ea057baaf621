import { aboutForm } from '../dataset/about.ts';
import type { Relation } from '../dataset/relation.ts';
import { reversed } from '../dataset/timelines.ts';
import type { SandboxTweet, User } from '../dataset/types.ts';
import { activeUser, activeUserNamed, checkShownTo, isActive, isShownTo, visibleTweet } from '../dataset/visibility.ts';
import type { XOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';
import { badRequest, notFound } from '../refusal.ts';
import { termsOf } from '../search/match.ts';
import { searchUsers } from '../search/users.ts';
import { numberOf } from './paging.ts';
import { list, many, one, type ReadCall, read } from './read.ts';
import { userJson } from './render.ts';
import { checkValue, idPattern, namePattern } from './request.ts';

const userById = ({ dataset }: ReadCall, id: string) => activeUser(dataset.users.get(id), id);
const userByName = ({ dataset }: ReadCall, name: string) => activeUserNamed(dataset, name);

/** Returns the user of the path. Only followers may see the lists of a protected user. */
export function shownUser(call: ReadCall): User {
  const user = userById(call, call.subject);
  checkShownTo(call.viewer, user);
  return user;
}

export const related =
  <T>(relation: Relation<T>) =>
  (position: string | undefined) =>
    relation.newestFirst(numberOf(position));
const latest =
  <T>(items: readonly T[]) =>
  (position: string | undefined) =>
    reversed(items, numberOf(position));

function usersOf(id: string, part: string, relationOf: (user: User) => Relation<User>): XOperation {
  return list('users', id, `/2/users/{id}/${part}`, {
    sizes: [1, 1_000, 100],
    from(call) {
      const owner = shownUser(call);
      return { owner, after: related(relationOf(owner)) };
    },
  });
}

function reactors(id: string, part: string, userOnly: boolean, relationOf: (tweet: SandboxTweet) => Relation<User>) {
  return list('users', id, `/2/tweets/{id}/${part}`, {
    sizes: [1, 100, 100],
    userOnly,
    from: ({ dataset, subject, viewer }) => ({
      after: related(relationOf(visibleTweet(dataset, subject, viewer))),
      shown: (user: User) => isShownTo(viewer, user),
    }),
  });
}

/** Look-ups and lists of users. */
export const userOperations: readonly XOperation[] = [
  read('users', 'getUsersMe', '/2/users/me', {
    userOnly: true,
    run: ({ viewer }) => ({ data: viewer ?? undefined }),
  }),
  read('users', 'getUsersById', '/2/users/{id}', { run: (call) => one(call, 'user', 'id', userById) }),
  read('users', 'getUsersByIds', '/2/users', {
    query: ['ids'],
    run: (call) => many(call, 'user', 'ids', idPattern, userById),
  }),
  read('users', 'getUsersByUsername', '/2/users/by/username/{username}', {
    run: (call) => one(call, 'user', 'username', userByName),
  }),
  read('users', 'getUsersByUsernames', '/2/users/by', {
    query: ['usernames'],
    run: (call) => many(call, 'user', 'usernames', namePattern, userByName),
  }),
  usersOf('getUsersFollowers', 'followers', (user) => user.followers),
  usersOf('getUsersFollowing', 'following', (user) => user.following),
  list('users', 'getUsersAffiliates', '/2/users/{id}/affiliates', {
    sizes: [1, 1_000, 100],
    from(call) {
      const owner = userById(call, call.subject);
      return { owner, after: latest(call.dataset.affiliates.get(owner) ?? []), shown: isActive };
    },
  }),
  list('users', 'getListsMembers', '/2/lists/{id}/members', {
    sizes: [1, 100, 100],
    from({ dataset, subject }) {
      const found = dataset.lists.get(subject);
      if (found === undefined) throw notFound('list', subject);
      return { owner: found.owner, after: latest(found.members), shown: isActive };
    },
  }),
  reactors('getPostsRepostedBy', 'retweeted_by', false, (tweet) => tweet.retweeters),
  reactors('getPostsLikingUsers', 'liking_users', true, (tweet) => tweet.likers),
  list('users', 'searchUsers', '/2/users/search', {
    lacks: 'result_count',
    query: ['query', 'next_token'],
    sizes: [1, 1_000, 100],
    userOnly: true,
    from({ dataset, query, selection }) {
      const text = query.get('query') ?? '';
      checkValue('query', text, selection.extended ? /^.{1,512}$/s : /^[\w' ]{1,50}$/);
      const words = termsOf(text);
      if (words.length === 0) throw badRequest('query', 'holds nothing to search for: give a name or a word');
      return { key: text, after: (position) => searchUsers(dataset, words, position), shown: isActive };
    },
  }),

  // Extensions of X's API.
  list('users', 'getFollowersYouKnow', '/sandbox/users/{id}/followers_you_know', {
    sizes: [1, 1_000, 100],
    userOnly: true,
    from(call) {
      const owner = shownUser(call);
      return {
        owner,
        after: related(owner.followers),
        shown: (user: User) => call.viewer?.following.has(user) === true,
      };
    },
  }),
  read('users', 'getUserAbout', '/sandbox/users/{id}/about', {
    run(call) {
      const user = userById(call, call.subject);
      const card = JSON.parse(userJson(call.dataset, user, call.viewer, call.selection)) as object;
      return json({ data: { ...card, ...aboutForm(user) }, meta: { viewer_id: call.viewer?.id } });
    },
  }),
];
