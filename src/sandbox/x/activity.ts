import type { ActivityEvent } from '../dataset/activity.ts';
import { eventForm } from '../dataset/render-event.ts';
import { compareIds } from '../dataset/snowflake.ts';
import { hiddenFrom } from '../dataset/visibility.ts';
import { badRequest } from '../refusal.ts';
import { openToken, paging, sizeOf, takePage } from './paging.ts';
import { userOperation, type WriteCall } from './write.ts';

const longestWaitMs = 60_000;

/**
 * The activity feed of the actor, oldest first: actions of other users that concern the actor, and all events of the
 * actor's conversations. The response always has a token, so that a client can continue when new events arrive.
 */
export const activity = userOperation('activity', 'GET', '/sandbox/activity', {
  query: [...paging, 'wait_ms'],
  waitMs(call) {
    const mostMs = longestWait(call.query);
    const { position } = placeOf(call);
    if (mostMs === 0 || position === undefined) return 0;
    call.state.simulator.watched(call.state, call.actor);
    const { gap, items } = eventsAfter(call, position, 1);
    return gap || items.length > 0 ? 0 : mostMs;
  },
  run(call) {
    const { state, actor } = call;
    const size = sizeOf(call, [1, 100, 20]);
    const end = state.dataset.activity.lastId;
    const { position = end, seal } = placeOf(call);
    state.simulator.watched(state, actor);
    const { items, gap, next = compareIds(end, position) > 0 ? end : position } = eventsAfter(call, position, size);
    return { data: items.map((event) => eventForm(event, actor)), meta: { gap, next_token: seal([next]) } };
  },
});

const placeOf = (call: WriteCall) => openToken({ ...call, viewer: call.actor }, call.actor.id);

/** Reads `wait_ms`. */
function longestWait(query: URLSearchParams): number {
  const text = query.get('wait_ms') ?? '0';
  const ms = /^\d{1,5}$/.test(text) ? Number(text) : longestWaitMs + 1;
  if (ms > longestWaitMs) throw badRequest('wait_ms', `wait_ms must be an integer from 0 to ${longestWaitMs}`);
  return ms;
}

/** Returns a page of events after the event with the id `after`, without events that the actor may not see. */
function eventsAfter({ state, actor }: WriteCall, after: string, size: number) {
  const { events, gap } = state.dataset.activity.since(actor, after, state.now());
  const shown = ({ tweet }: ActivityEvent) => tweet === null || hiddenFrom(actor, tweet) === undefined;
  return { ...takePage(events, size, shown), gap };
}
