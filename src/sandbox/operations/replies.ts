import type { Relation } from '../dataset/relation.ts';
import type { SandboxTweet } from '../dataset/types.ts';
import { visibleTweet } from '../dataset/visibility.ts';
import type { OperationContract } from '../http/contract.ts';
import type { ActorOperation } from '../http/operation.ts';
import { pagingOf } from '../http/paged.ts';
import { numberOf } from './user-lists.ts';
import { tweetsAnswer, visiblePage } from './user-tweets.ts';

/** The direct replies to a tweet, newest first. */
export const replies = tweetsAbout(
  'replies',
  {
    summary:
      "The direct replies to a tweet that the actor may see, newest first. Their number equals the tweet's reply count. Problems as in tweetById.",
    parameters: ['Count', 'Cursor'],
    responses: { 200: 'TweetPage' },
  },
  ({ replies }) => replies,
);

/** The tweets that quote a tweet, newest first. */
export const quotes = tweetsAbout(
  'quotes',
  {
    summary:
      "The quotes of a tweet that the actor may see, newest first. Their number equals the tweet's quote count. Problems as in tweetById.",
    parameters: ['Count', 'Cursor'],
    responses: { 200: 'TweetPage' },
  },
  ({ quotes }) => quotes,
);

function tweetsAbout(
  list: string,
  contract: OperationContract,
  listOf: (tweet: SandboxTweet) => Relation<SandboxTweet>,
): ActorOperation {
  return {
    id: list,
    method: 'GET',
    path: `/api/tweets/{id}/${list}`,
    access: 'actor',
    contract,
    handle(call) {
      const tweet = visibleTweet(call.platform.dataset, call.params['id'] ?? '', call.actor);
      const paging = pagingOf(call, list, tweet.id);
      const page = visiblePage(call, listOf(tweet).newestFirst(numberOf(paging.after)), paging.count);
      return tweetsAnswer(call, '', page, paging.seal(page.next));
    },
  };
}
