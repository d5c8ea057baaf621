import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { Client } from '../support/client.ts';
import type { Fleet } from '../support/fleet.ts';
import { startReceiver, type TestReceiver } from '../support/receiver.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { until } from '../support/until.ts';
import { type Account, idsOf, register } from './fixture.ts';

/** The maximum number of events in flight. It distributes the events over the time in which gateways die. */
const onTheirWay = 100;

export interface Watched {
  account: Account;
  receiver: TestReceiver;
  happened: number;
}

/** Starts receivers with a delay, so that a kill interrupts some of their responses. */
export function startReceivers(count: number): Promise<TestReceiver[]> {
  const answer = () => ({ status: 200, delayMs: Math.random() * 30 });
  return Promise.all(Array.from({ length: count }, () => startReceiver({ answer })));
}

/** Creates platform accounts with a webhook each, all paid with one key. */
export async function watch(
  { sandboxUrl, baseUrl, key }: { sandboxUrl: string; baseUrl: string; key: string },
  receivers: readonly TestReceiver[],
): Promise<Watched[]> {
  const sandbox = new SandboxControl(sandboxUrl);
  return Promise.all(
    receivers.map(async (receiver) => {
      const account = await sandbox.mint();
      const client = new Client({ baseUrl, key, authToken: account.authToken });
      const { valid } = await register(client, { url: receiver.url, secret: receiver.secret });
      expect(valid).toBe(true);
      return { account, receiver, happened: 0 };
    }),
  );
}

const seen = new WeakMap<Watched, { ids: Set<string>; read: number }>();

/** Returns the number of different events that have arrived. Reads each delivery once. */
export function arrivals(watched: Watched): number {
  const known = seen.get(watched) ?? { ids: new Set(), read: 0 };
  seen.set(watched, known);
  for (const { method, body } of watched.receiver.requests.slice(known.read)) {
    known.read += 1;
    if (method === 'POST') known.ids.add((JSON.parse(body) as { id: string }).id);
  }
  return known.ids.size;
}

/** Makes events for all accounts in small batches. */
export async function keepHappening(
  { sandboxUrl }: Fleet,
  watched: readonly Watched[],
  eventsOfEach: number,
): Promise<void> {
  const sandbox = new SandboxControl(sandboxUrl);
  while (watched.some(({ happened }) => happened < eventsOfEach)) {
    for (const each of watched) {
      const count = Math.min(1 + Math.floor(Math.random() * 10), eventsOfEach - each.happened);
      if (count <= 0 || each.happened - each.receiver.deliveries.length > onTheirWay / watched.length) continue;
      await sandbox.makeEvents({ type: 'follow', userName: each.account.userName, count });
      each.happened += count;
    }
    await sleep(Math.random() * 100);
  }
}

/** Checks that all events arrived with one body each. Returns the number of repeated events. */
export async function expectNothingLost(watched: readonly Watched[]): Promise<number> {
  await until(() => {
    for (const { receiver, happened } of watched) {
      expect(receiver.deliveries.length).toBeGreaterThanOrEqual(happened);
      expect(new Set(idsOf(receiver.deliveries)).size).toBe(happened);
    }
  });
  let repeated = 0;
  for (const { receiver, happened } of watched) {
    const bodies = new Set(receiver.deliveries.map(({ body }) => body));
    expect(bodies.size).toBe(happened);
    for (const { body, headers } of receiver.deliveries) expect(headers['webhook-id']).toBe(JSON.parse(body).id);
    repeated += receiver.deliveries.length - happened;
  }
  return repeated;
}
