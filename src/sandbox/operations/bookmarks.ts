import { visibleTweet } from '../dataset/visibility.ts';
import type { ActorOperation } from '../http/operation.ts';
import { pagingOf } from '../http/paged.ts';
import { json } from '../http/response.ts';
import { numberOf } from './user-lists.ts';
import { viewerHead } from './user-target.ts';
import { tweetsAnswer, visiblePage } from './user-tweets.ts';

const path = '/api/tweets/{id}/bookmark';

export const bookmarkTweet: ActorOperation = {
  id: 'bookmarkTweet',
  method: 'PUT',
  path,
  access: 'actor',
  contract: {
    summary: 'Bookmarks a tweet; repeating it changes nothing. Problems as in tweetById.',
    parameters: ['IdempotencyToken'],
    responses: { 200: 'Bookmarked' },
  },
  handle({ platform, params, actor }) {
    const tweet = visibleTweet(platform.dataset, params['id'] ?? '', actor);
    if (!actor.bookmarked.has(tweet)) {
      platform.commit({ kind: 'bookmark', user: actor.id, tweet: tweet.id, at: platform.now() });
    }
    return json({ tweet_id: tweet.id, bookmarked: true });
  },
};

export const unbookmarkTweet: ActorOperation = {
  id: 'unbookmarkTweet',
  method: 'DELETE',
  path,
  access: 'actor',
  contract: {
    summary: 'Removes a bookmark; repeating it changes nothing. Problems as in tweetById.',
    parameters: ['IdempotencyToken'],
    responses: { 200: 'Bookmarked' },
  },
  handle({ platform, params, actor }) {
    const tweet = visibleTweet(platform.dataset, params['id'] ?? '', actor);
    if (actor.bookmarked.has(tweet)) {
      platform.commit({ kind: 'unbookmark', user: actor.id, tweet: tweet.id, at: platform.now() });
    }
    return json({ tweet_id: tweet.id, bookmarked: false });
  },
};

/** The actor's own bookmarks, newest first. */
export const bookmarksOperation: ActorOperation = {
  id: 'bookmarks',
  method: 'GET',
  path: '/api/bookmarks',
  access: 'actor',
  contract: {
    summary: "The actor's bookmarks, the latest bookmark first, without tweets that are now hidden from the actor.",
    parameters: ['Count', 'Cursor'],
    responses: { 200: 'OwnTweetPage' },
  },
  handle(call) {
    const { actor } = call;
    const paging = pagingOf(call, 'bookmarks', actor.id);
    const page = visiblePage(call, actor.bookmarked.newestFirst(numberOf(paging.after)), paging.count);
    return tweetsAnswer(call, viewerHead(actor), page, paging.seal(page.next));
  },
};
