import type { ActivityEvent } from '../dataset/activity.ts';
import { eventsJson } from '../dataset/render-event.ts';
import { compareIds } from '../dataset/snowflake.ts';
import { hiddenFrom } from '../dataset/visibility.ts';
import { closedObject, jsonResponse, ref } from '../http/contract.ts';
import { waitMs } from '../http/input.ts';
import type { ActorCall, ActorOperation } from '../http/operation.ts';
import { pagingOf, takePage } from '../http/paged.ts';
import { jsonText } from '../http/response.ts';

/**
 * The activity feed of the actor, oldest first: actions of other users that concern the actor, and all events of the
 * actor's conversations. The response always has a cursor, so that a client can continue when new events arrive.
 */
export const activity: ActorOperation = {
  id: 'activity',
  method: 'GET',
  path: '/sandbox/activity',
  access: 'actor',
  contract: {
    summary:
      'The activity feed of the actor, oldest event first. Without a cursor: no events, and a cursor at the end of the feed.',
    description:
      "The feed has mentions of the actor, replies to, quotes, likes and retweets of the actor's tweets, follows (of a protected actor, once they are accepted), and the events of the actor's conversations by both sides. It has no other actions of the actor, no events by suspended or deleted accounts, and no tweet that is hidden from the actor or was deleted since. All events of a conversation stay in the feed, in order. After a message is deleted for all, the events of the message, its edits and its reactions have `detail` and `signature` null. A tweet makes at most one event for each account, whose `types` are all that apply. An action that is undone and repeated is a new event. The last 10,000 events of the last 7 days are kept for each account. An older cursor continues at the oldest event, with `gap` true. If SANDBOX_ACTIVITY is on, users of the dataset act on a demo account every few seconds while its feed was read within the last minute.",
    parameters: [
      'Count',
      {
        name: 'cursor',
        in: 'query',
        description:
          '`next_cursor` of an earlier page of the same actor, of any age. Any other value, or one from before a reset, is `bad_cursor` 400.',
        schema: { type: 'string' },
      },
      {
        name: 'wait_ms',
        in: 'query',
        description:
          'With a cursor and without events after it, the request waits for the next event, at most this many milliseconds. It may end earlier without events: when the dataset is reset, when the sandbox stops, and at once while 32 requests for this feed or 1,000 in all wait.',
        schema: { type: 'integer', minimum: 0, maximum: 60_000, default: 0 },
      },
    ],
    responses: {
      200: jsonResponse(
        'A page. Fewer events than `count` means that there are no more yet.',
        closedObject({
          events: { type: 'array', maxItems: 100, items: ref('ActivityEvent') },
          gap: { type: 'boolean', description: 'Whether events between the cursor and this page are no longer kept.' },
          next_cursor: { type: 'string', description: 'Always present, even on an empty page.' },
        }),
      ),
    },
  },
  waitMs(call) {
    const mostMs = waitMs(call.query);
    const { after } = pagingOf(call, 'activity', call.actor.id);
    if (mostMs === 0 || after === undefined) return 0;
    call.platform.simulator.watched(call.platform, call.actor);
    const { gap, items } = eventsAfter(call, after, 1);
    return gap || items.length > 0 ? 0 : mostMs;
  },
  handle(call) {
    const { platform, actor } = call;
    const paging = pagingOf(call, 'activity', actor.id);
    platform.simulator.watched(platform, actor);
    const end = platform.dataset.activity.lastId;
    const after = paging.after ?? end;
    const page = eventsAfter(call, after, paging.count);
    const next = page.next ?? (compareIds(end, after) > 0 ? end : after);
    return jsonText(`{"events":${eventsJson(page.items)},"gap":${page.gap},"next_cursor":"${paging.seal(next)}"}`);
  },
};

/** Returns a page of events after the event with the id `after`, without events that the actor may not see. */
function eventsAfter({ platform, actor }: ActorCall, after: string, count: number) {
  const { events, gap } = platform.dataset.activity.since(actor, after, platform.now());
  const shown = ({ tweet }: ActivityEvent) => tweet === null || hiddenFrom(actor, tweet) === undefined;
  return { ...takePage(events, count, shown), gap };
}
