import { homeAfter } from '../dataset/home.ts';
import type { ActorOperation } from '../http/operation.ts';
import { pagingOf } from '../http/paged.ts';
import { viewerHead } from './user-target.ts';
import { tweetsAnswer, visiblePage } from './user-tweets.ts';

/**
 * The ranked home feed. Tweets that arrive after the first page appear only when the client requests a first page
 * again.
 */
export const home: ActorOperation = {
  id: 'home',
  method: 'GET',
  path: '/api/home',
  access: 'actor',
  contract: {
    summary:
      'The ranked feed of the actor: recent tweets of followed authors and recent popular tweets of others, best first. All pages belong to the feed as it was at the first page.',
    parameters: ['Count', 'Cursor'],
    responses: { 200: 'OwnTweetPage' },
  },
  handle(call) {
    const { actor } = call;
    const paging = pagingOf(call, 'home', actor.id);
    const page = visiblePage(call, homeAfter(call.platform.dataset, actor, paging.after), paging.count);
    return tweetsAnswer(call, viewerHead(actor), page, paging.seal(page.next));
  },
};
