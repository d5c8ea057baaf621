import { answers, closed, ref } from '../contract/schema.ts';
import type { ActivityEvent } from '../dataset/activity.ts';
import { hiddenFrom } from '../dataset/look-up.ts';
import { eventsJson } from '../dataset/render-event.ts';
import { compareIds } from '../dataset/snowflake.ts';
import { jsonText } from '../http/answer.ts';
import type { ActorOperation } from '../http/operation.ts';
import { pagingOf, takePage } from '../http/paged.ts';

/** What others did that concerns the actor, and what happened in conversations, oldest first. There is always a cursor: what is not yet there comes after it. */
export const activity: ActorOperation = {
  id: 'activity',
  method: 'GET',
  path: '/api/activity',
  access: 'actor',
  contract: {
    summary:
      'What others did that concerns the actor, oldest first; without a cursor the end of the feed: no events, and the cursor from which on things are new.',
    description:
      "Mentions, replies to and quotes, likes and retweets of the actor's tweets, follows (one that a protected actor has to accept counts from then on), and what is said in the actor's conversations, by both sides. Nothing else that the actor did, nothing by accounts that are suspended or gone, no tweet that is hidden from the actor or was deleted since. Every step of a conversation stays in the feed, in order: after a message is deleted for all, the events of the message, its edits and its reactions have `detail` and `signature` null. A tweet makes one event for each account: a reply goes before a quote, a quote before a mention. What is taken back and done again is a new event. The last 10,000 events of the last 7 days are kept for each account: a cursor from before goes on at the oldest, and `gap` says so. Where the sandbox was told to (SANDBOX_ACTIVITY), people of the dataset react to a demo account of their own accord every few seconds for as long as it is asked for within the last minute.",
    parameters: [
      'Count',
      {
        name: 'cursor',
        in: 'query',
        description:
          '`next_cursor` of the page before, of the same actor, however old; anything else, one from before a reset too, is `bad_cursor` 400.',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: answers(
        'Fewer events than were asked for: there are no more for now.',
        closed({
          events: { type: 'array', maxItems: 100, items: ref('ActivityEvent') },
          gap: { type: 'boolean', description: 'Some events between the cursor and this page are no longer kept.' },
          next_cursor: { type: 'string', description: 'Always there, also behind an empty page.' },
        }),
      ),
    },
  },
  handle(call) {
    const { platform, actor } = call;
    const paging = pagingOf(call, 'activity', actor.id);
    platform.simulator.watched(platform, actor);
    const end = platform.dataset.activity.lastId;
    const after = paging.after ?? end;
    const { events, gap } = platform.dataset.activity.since(actor, after, platform.now());
    const shown = ({ tweet }: ActivityEvent) => tweet === null || hiddenFrom(actor, tweet) === undefined;
    const page = takePage(events, paging.count, shown);
    const next = page.next ?? (compareIds(end, after) > 0 ? end : after);
    return jsonText(`{"events":${eventsJson(page.items)},"gap":${gap},"next_cursor":"${paging.seal(next)}"}`);
  },
};
