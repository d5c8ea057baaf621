// Compares the charges of the gateway with the responses that callers got, and with the calls that the sandbox performed.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Started } from '../bench/processes.ts';
import type { Actor, Caller, Done } from './caller.ts';

/** The texts of each actor, with `true` if the call succeeded. */
export type Written = Map<Actor, Map<string, boolean>>;
export type Control = <Answer>(path: string, body?: object) => Promise<Answer>;
export type Books = Awaited<ReturnType<typeof reconcile>>;
export type Events = Awaited<ReturnType<typeof checkEvents>>;

interface MessagePage {
  messages: { from_me: boolean; text: string }[];
  next_cursor: string | null;
  has_more: boolean;
}
/** The response of receiver.ts. */
interface Seen {
  hooks: Record<string, { events: number; deliveries: number }>;
  wrong: number;
}
interface Balance {
  balance: string;
  held: string;
}
interface UsageOfAccount {
  total: { charged: string };
  usage: { endpoint: string; calls: number }[];
}

const micros = 1_000_000;
const waitMs = 60_000;

/** Returns the violations for all actors, and the sums. Each actor has its own account. */
export async function reconcile({
  actors,
  caller,
  control,
  credit,
  written,
}: {
  actors: Actor[];
  caller: Caller;
  control: Control;
  credit: number;
  written: Record<'tweets' | 'messages', Written>;
}) {
  const sums = { charged: 0, tweets: 0, messages: 0, deleted: 0 };
  const faults: string[] = [];
  const usageOf = async (actor: Actor) => (await caller.rest<UsageOfAccount>('GET', '/account/usage', {}, actor)).data;
  for (const actor of actors) {
    const { account } = actor;
    const left = await settled(async () => (await caller.rest<Balance>('GET', '/account/balance', {}, actor)).data);
    if (left.held !== '0') faults.push(`${actor.userName}: ${left.held} dollars are still held`);
    const { total, usage } = await usageOf(actor);
    const callsOf = (endpoint: string) =>
      usage.filter((row) => row.endpoint === endpoint).reduce((sum, { calls }) => sum + calls, 0);
    const paid = Math.round((credit - Number(left.balance)) * micros);
    const used = Math.round(Number(total.charged) * micros);
    const responses = caller.charged[account.index] ?? 0;
    const open = caller.uncertain[account.index] ?? 0;
    if (paid !== used || paid < responses || paid > responses + open) {
      faults.push(
        `${actor.userName}: the charges in responses are ${responses} micro-dollars (${open} uncertain), in the balance ${paid}, in the usage ${used}`,
      );
    }
    sums.charged += paid;

    const { tweets } = await control<{ tweets: { text: string; deleted: boolean }[] }>(
      `/control/tweets?author=${actor.userId}`,
    );
    const texts = tweets.map(({ text }) => text);
    faults.push(...compare(`${actor.userName}: tweets`, texts, written.tweets.get(actor), callsOf('tweet/create')));
    const deleted = tweets.filter((tweet) => tweet.deleted).length;
    if (callsOf('tweet/delete') !== deleted) {
      faults.push(`${actor.userName}: ${callsOf('tweet/delete')} deletions charged, ${deleted} performed`);
    }
    sums.tweets += tweets.length;
    sums.deleted += deleted;
  }
  for (const actor of actors) {
    // Each actor writes to the next one only, and each pair has one conversation.
    const texts = written.messages.get(actor);
    if (!texts) continue;
    const sent = await sentMessages(actor, caller);
    const { usage } = await usageOf(actor);
    const charged = usage
      .filter(({ endpoint }) => endpoint === 'dm/send' || endpoint === 'dm/send_media')
      .reduce((sum, { calls }) => sum + calls, 0);
    faults.push(...compare(`${actor.userName}: messages`, sent, texts, charged));
    sums.messages += sent.length;
  }
  return { faults, sums };
}

/**
 * Returns a violation unless every text of a successful call exists once and was charged once, and no other text exists. A call that was
 * given up without an outcome may have been performed.
 */
function compare(
  what: string,
  existing: string[],
  written: Map<string, boolean> = new Map(),
  charged: number,
): string[] {
  const counts = new Map<string, number>();
  for (const text of existing) counts.set(text, (counts.get(text) ?? 0) + 1);
  const faults: string[] = [];
  for (const [text, count] of counts) {
    if (count > 1) faults.push(`${what}: performed ${count} times: ${text}`);
    if (!written.has(text)) faults.push(`${what}: no call wrote ${text}`);
  }
  let open = 0;
  for (const [text, succeeded] of written) {
    if (!succeeded) open++;
    else if (!counts.has(text)) faults.push(`${what}: lost: ${text}`);
  }
  if (charged > existing.length || charged < existing.length - open) {
    faults.push(`${what}: ${charged} charged, ${existing.length} performed by the sandbox`);
  }
  return faults;
}

async function sentMessages(actor: Actor, caller: Caller): Promise<string[]> {
  const headers = { 'x-encryption-code': actor.encryptionCode };
  const ids = [BigInt(actor.userId), BigInt(actor.other.userId)].sort((a, b) => (a < b ? -1 : 1));
  const conversation_id = ids.join(':');
  // There is no conversation if no message was performed.
  const list = await caller.rest<{ conversations: { conversation_id: string }[] }>(
    'GET',
    '/dm/list',
    { count: '100' },
    { ...actor, headers },
  );
  if (!list.data.conversations.some((each) => each.conversation_id === conversation_id)) return [];
  const texts: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: object = { conversation_id, count: '100', ...(cursor !== null && { cursor }) };
    const { data }: Done<MessagePage> = await caller.rest('GET', '/dm/messages', page, { ...actor, headers });
    for (const { from_me, text } of data.messages) if (from_me) texts.push(text);
    cursor = data.next_cursor;
    if (!data.has_more) return texts;
  }
}

/** Waits until no credit is reserved. */
async function settled(balance: () => Promise<Balance>): Promise<Balance> {
  const until = performance.now() + waitMs;
  for (;;) {
    const left = await balance();
    if (left.held === '0' || performance.now() > until) return left;
    await sleep(100);
  }
}

/** Returns a violation unless each webhook got exactly the events that happened. Deliveries may be repeated. */
export async function checkEvents({
  receiver,
  actors,
  happened,
  patienceMs,
}: {
  receiver: Started;
  actors: Actor[];
  happened: Map<Actor, number>;
  patienceMs: number;
}): Promise<{ deliveries: number; faults: string[] }> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const { hooks, wrong } = (await (await fetch(`${receiver.url}/seen`)).json()) as Seen;
    const seen = actors.map(({ account }) => hooks[`/hook/${account.index}`]?.events ?? 0);
    const deliveries = Object.values(hooks).reduce((sum, each) => sum + each.deliveries, 0);
    const lost = actors.filter((actor, i) => seen[i] !== (happened.get(actor) ?? 0));
    if (wrong > 0) return { deliveries, faults: [`${wrong} deliveries with a wrong signature`] };
    if (lost.length === 0) return { deliveries, faults: [] };
    if (performance.now() > until) {
      const faults = lost.map((actor) => {
        const events = hooks[`/hook/${actor.account.index}`]?.events ?? 0;
        return `${actor.userName}: ${events} events arrived, ${happened.get(actor) ?? 0} happened`;
      });
      return { deliveries, faults };
    }
    await sleep(200);
  }
}
