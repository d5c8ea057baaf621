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
      'The activity feed of the actor, oldest event first. Without a cursor: no events, and a cursor at the end of the feed.',
    description:
      "The feed has mentions of the actor, replies to, quotes, likes and retweets of the actor's tweets, follows (of a protected actor, once they are accepted), and the events of the actor's conversations by both sides. It has no other actions of the actor, no events by suspended or deleted accounts, and no tweet that is hidden from the actor or was deleted since. All events of a conversation stay in the feed, in order. After a message is deleted for all, the events of the message, its edits and its reactions have `detail` and `signature` null. A tweet makes at most one event for each account: a reply rather than a quote, a quote rather than a mention. An action that is undone and repeated is a new event. The last 10,000 events of the last 7 days are kept for each account. An older cursor continues at the oldest event, with `gap` true. If SANDBOX_ACTIVITY is on, users of the dataset act on a demo account every few seconds while its feed was read within the last minute.",
    parameters: [
      'Count',
      {
        name: 'cursor',
        in: 'query',
        description:
          '`next_cursor` of an earlier page of the same actor, of any age. Any other value, or one from before a reset, is `bad_cursor` 400.',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: answers(
        'A page. Fewer events than `count` means that there are no more yet.',
        closed({
          events: { type: 'array', maxItems: 100, items: ref('ActivityEvent') },
          gap: { type: 'boolean', description: 'Whether events between the cursor and this page are no longer kept.' },
          next_cursor: { type: 'string', description: 'Always present, even on an empty page.' },
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
