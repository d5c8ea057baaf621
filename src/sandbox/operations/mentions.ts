import { newestTweets } from '../dataset/timelines.ts';
import type { SandboxTweet } from '../dataset/types.ts';
import { hiddenFrom } from '../dataset/visibility.ts';
import type { ActorOperation } from '../http/operation.ts';
import { pagingOf, takePage } from '../http/paged.ts';
import { viewerHead } from './user-target.ts';
import { tweetsAnswer } from './user-tweets.ts';

export const mentionsOperation: ActorOperation = {
  id: 'mentions',
  method: 'GET',
  path: '/api/mentions',
  access: 'actor',
  contract: {
    summary: 'Tweets of others that mention the actor by name, newest first.',
    parameters: ['Count', 'Cursor'],
    responses: { 200: 'OwnTweetPage' },
  },
  handle(call) {
    const { actor } = call;
    const paging = pagingOf(call, 'mentions', actor.id);
    const shown = (tweet: SandboxTweet) => tweet.author !== actor && hiddenFrom(actor, tweet) === undefined;
    const page = takePage(newestTweets(actor.mentions, paging.after), paging.count, shown);
    return tweetsAnswer(call, viewerHead(actor), page, paging.seal(page.next));
  },
};
