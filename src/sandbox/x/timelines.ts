import { homeAfter } from '../dataset/home.ts';
import { mergeNewest, newestTweets, type Post, timelineOf } from '../dataset/timelines.ts';
import type { Repost, User } from '../dataset/types.ts';
import {
  activeUser,
  checkShownTo,
  hiddenFrom,
  isActive,
  isShownTo,
  type Viewer,
  visibleTweet,
} from '../dataset/visibility.ts';
import type { XOperation } from '../http/operation.ts';
import { badRequest } from '../refusal.ts';
import { type DeclaredList, list, many, one, type ReadCall, range, read } from './read.ts';
import { idPattern, inRange } from './request.ts';
import { related, shownUser } from './users.ts';

function postById({ dataset, viewer }: ReadCall, id: string): Post {
  const repost = dataset.reposts.get(id);
  if (repost === undefined) return visibleTweet(dataset, id, viewer);
  checkShownTo(viewer, activeUser(repost.author, id));
  visibleTweet(dataset, repost.of.id, viewer);
  return repost;
}

function isPostShown(viewer: Viewer, post: Post): boolean {
  if (!('of' in post)) return hiddenFrom(viewer, post) === undefined;
  return hiddenFrom(viewer, post.of) === undefined && isActive(post.author) && isShownTo(viewer, post.author);
}

function ownUser({ viewer, subject }: ReadCall): User {
  if (viewer?.id === subject) return viewer;
  throw badRequest('id', `The \`id\` value [${subject}] must be the same as the authenticating user [${viewer?.id}]`);
}

/** Declares a list of posts. `exclude` leaves out replies and reposts. */
export function postList(id: string, path: string, { from, ...declared }: DeclaredList<Post>): XOperation {
  return list<Post>('posts', id, path, {
    ...declared,
    from(call) {
      const exclude = call.query.get('exclude')?.split(',') ?? [];
      const unknown = exclude.find((name) => name !== 'replies' && name !== 'retweets');
      if (unknown !== undefined)
        throw badRequest('exclude', `The \`exclude\` value [${unknown}] is not one of [replies,retweets]`);
      const { shown = () => true, ...source } = from(call);
      const isKept = (post: Post) =>
        !exclude.includes('of' in post ? 'retweets' : post.replyTo === null ? '' : 'replies');
      return { ...source, shown: (post) => isKept(post) && isPostShown(call.viewer, post) && shown(post) };
    },
  });
}

/** Look-ups and lists of posts. */
export const timelineOperations: readonly XOperation[] = [
  read('posts', 'getPostsById', '/2/tweets/{id}', { run: (call) => one(call, 'tweet', 'id', postById) }),
  read('posts', 'getPostsByIds', '/2/tweets', {
    query: ['ids'],
    run(call) {
      const answer = many(call, 'tweet', 'ids', idPattern, postById);
      return { ...answer, meta: { result_count: answer.data.length } };
    },
  }),
  postList('getUsersPosts', '/2/users/{id}/tweets', {
    query: [...range, 'exclude'],
    sizes: [5, 100, 10],
    from(call) {
      const owner = shownUser(call);
      return { owner, after: inRange(call.query, (id) => timelineOf(owner, id)) };
    },
  }),
  postList('getUsersMentions', '/2/users/{id}/mentions', {
    query: range,
    sizes: [5, 100, 10],
    from(call) {
      const owner = shownUser(call);
      const after = inRange(call.query, (id) => newestTweets(owner.mentions, id));
      return { owner, after, shown: ({ author }) => author !== owner && call.viewer?.muted.has(author) !== true };
    },
  }),
  postList('getUsersTimeline', '/2/users/{id}/timelines/reverse_chronological', {
    query: [...range, 'exclude'],
    sizes: [1, 100, 100],
    userOnly: true,
    from(call) {
      const owner = ownUser(call);
      const { tweets, reposts } = call.dataset;
      const isNear = (author: User) => author === owner || (owner.following.has(author) && !owner.muted.has(author));
      const shownRepost = ({ author, of }: Repost) =>
        isNear(author) && of.author !== author && !owner.muted.has(of.author);
      const after = inRange(call.query, (id) => mergeNewest(tweets, reposts.values(), id, shownRepost));
      return { owner, after, shown: ({ author }) => isNear(author) };
    },
  }),
  postList('getUsersBookmarks', '/2/users/{id}/bookmarks', {
    sizes: [1, 100, 100],
    userOnly: true,
    from(call) {
      const owner = ownUser(call);
      return { owner, after: related(owner.bookmarked) };
    },
  }),
  postList('getUsersLikedPosts', '/2/users/{id}/liked_tweets', {
    sizes: [5, 100, 100],
    userOnly: true,
    from(call) {
      const owner = shownUser(call);
      return { owner, after: related(owner.liked) };
    },
  }),
  postList('getPostsQuotedPosts', '/2/tweets/{id}/quote_tweets', {
    lacks: 'previous_token',
    query: ['exclude'],
    sizes: [10, 100, 10],
    from: ({ dataset, subject, viewer }) => ({ after: related(visibleTweet(dataset, subject, viewer).quotes) }),
  }),

  // An extension of X's API.
  postList('getSandboxHome', '/sandbox/home', {
    sizes: [1, 100, 20],
    userOnly: true,
    from: ({ dataset, viewer }) => ({
      after: (position) => (viewer === null ? [] : homeAfter(dataset, viewer, position)),
    }),
  }),
];
