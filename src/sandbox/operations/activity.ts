import type { ActivityEvent } from '../dataset/activity.ts';
import { eventsJson } from '../dataset/render-event.ts';
import { compareIds } from '../dataset/snowflake.ts';
import { hiddenFrom } from '../dataset/visibility.ts';
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
    return jsonText(
      `{"events":${eventsJson(page.items, actor)},"gap":${page.gap},"next_cursor":"${paging.seal(next)}"}`,
    );
  },
};

/** Returns a page of events after the event with the id `after`, without events that the actor may not see. */
function eventsAfter({ platform, actor }: ActorCall, after: string, count: number) {
  const { events, gap } = platform.dataset.activity.since(actor, after, platform.now());
  const shown = ({ tweet }: ActivityEvent) => tweet === null || hiddenFrom(actor, tweet) === undefined;
  return { ...takePage(events, count, shown), gap };
}
