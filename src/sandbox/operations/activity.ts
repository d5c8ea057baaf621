import { jsonText } from '../http/answer.ts';
import type { ActorOperation } from '../http/operation.ts';
import { pagingOf, takePage } from '../http/paged.ts';
import type { ActivityEvent } from '../world/activity.ts';
import { eventsJson } from '../world/render-event.ts';
import { compareIds } from '../world/snowflake.ts';
import { hiddenFrom } from '../world/visibility.ts';

/** What others did that concerns the actor, and what happened in conversations, oldest first. There is always a cursor: what is not yet there comes after it. */
export const activity: ActorOperation = {
  id: 'activity',
  method: 'GET',
  path: '/api/activity',
  access: 'actor',
  handle(call) {
    const { platform, actor } = call;
    const paging = pagingOf(call, 'activity', actor.id);
    platform.life.watched(platform, actor);
    const end = platform.world.activity.lastId;
    const after = paging.after ?? end;
    const { events, gap } = platform.world.activity.since(actor, after, platform.now());
    const shown = ({ tweet }: ActivityEvent) => tweet === null || hiddenFrom(actor, tweet) === undefined;
    const page = takePage(events, paging.count, shown);
    const next = page.next ?? (compareIds(end, after) > 0 ? end : after);
    return jsonText(`{"events":${eventsJson(page.items)},"gap":${gap},"next_cursor":"${paging.seal(next)}"}`);
  },
};
