import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../src/main/open-store.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { type Store, StoreUnavailableError } from '../../src/store/port.ts';
import { Writer } from '../messaging/conversations/world.ts';
import { idsOf, register, startWorld, until, type World } from './world.ts';

type Verb = (...given: never[]) => Promise<unknown>;
type Group = 'pollers' | 'webhooks' | 'events' | 'deliveries';

let directory: string;
let store: Store;
let world: World;
/** Of each verb: how often it is applied and its answer lost, or not applied at all. */
let faults: Map<string, { times: number; applied: boolean }>;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'postern-store-away-'));
  store = await openStore(readConfig({ DATA_DIR: directory }), systemRuntime);
  faults = new Map();
  const groups: Group[] = ['pollers', 'webhooks', 'events', 'deliveries'];
  const faulty = Object.create(store, Object.fromEntries(groups.map((group) => [group, { value: failing(group) }])));
  world = await startWorld({ DATA_DIR: directory }, { openStore: () => faulty });
});
afterEach(async () => {
  await world.stop();
  rmSync(directory, { recursive: true });
});

function failing(group: Group): object {
  return Object.fromEntries(
    Object.entries(store[group] as unknown as Record<string, Verb>).map(([verb, run]) => [
      verb,
      async (...given: never[]) => {
        const fault = faults.get(`${group}.${verb}`);
        if (!fault || fault.times === 0) return run(...given);
        fault.times -= 1;
        if (fault.applied) await run(...given);
        throw new StoreUnavailableError('away');
      },
    ]),
  );
}

test.each([
  ['pollers.beat', false],
  ['pollers.claim', true],
  ['pollers.claim', false],
  ['pollers.woken', true],
  ['pollers.find', false],
  ['webhooks.ofPoller', false],
  ['events.append', true],
  ['events.append', false],
  ['deliveries.waiting', false],
  ['deliveries.finish', true],
  ['deliveries.finish', false],
])('where %s fails a few times (applied: %s), all is delivered once it does not', async (verb, applied) => {
  const { client, account } = await world.actor();
  const [one, two] = [await world.receiver(), await world.receiver()];
  const sooner = verb !== 'pollers.find';
  if (sooner) faults.set(verb, { times: 2, applied });
  await register(client, { url: one.url });
  if (!sooner) {
    // It is asked for where one that runs is woken.
    await world.happen(account);
    await until(() => expect(one.deliveries).toHaveLength(1));
    one.requests.length = 0;
    faults.set(verb, { times: 2, applied });
  }
  await register(client, { url: two.url });
  await world.happen(account, 'follow', 30);
  await until(() => {
    for (const { deliveries } of [one, two]) expect(new Set(idsOf(deliveries)).size).toBe(30);
  });
  await until(() => expect(faults.get(verb)?.times).toBe(0));
  await world.happen(account, 'follow', 5);
  await until(() => {
    for (const { deliveries } of [one, two]) {
      expect(new Set(idsOf(deliveries)).size).toBe(35);
      expect(deliveries).toHaveLength(35);
    }
  });
});

test.each([
  ['events.after', false],
  ['events.queueLate', true],
  ['webhooks.update', false],
])(
  'where %s fails (applied: %s) while messages that waited are queued, each comes once',
  async (verb, applied) => {
    const { client } = await world.actor();
    const mint = async () => new Writer((await world.sandbox.mint()) as never, client);
    const [anna, ben] = [await mint(), await mint()];
    const receiver = await world.receiver();
    await register(anna.client, { url: receiver.url, encryption_code: anna.account.encryptionCode });
    const fault = { kind: 'status', status: 500 };
    await world.sandbox.setFault({ fault, operation: 'chatConversation', times: null });
    await world.sandbox.makeMessage({ from: ben.account.userName, to: anna.account.userName, text: 'Waits' });
    await world.happen(anna.account);
    await until(() => expect(receiver.deliveries).toHaveLength(1));
    // That they wait was written down, which wakes the poller once more.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    faults.set(verb, { times: 1, applied });
    await world.sandbox.clearFaults();
    await until(() => expect(faults.get(verb)?.times).toBe(0));
    await until(() => expect(receiver.deliveries).toHaveLength(2));
    const [, { body } = { body: '' }] = receiver.deliveries;
    expect(JSON.parse(body)).toMatchObject({ text: 'Waits' });
  },
  60_000,
);
