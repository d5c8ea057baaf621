import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/main/open-store.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { type Store, StoreUnavailableError } from '../../src/store/port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { idsOf, register, startWebhookFixture, type WebhookFixture } from './fixture.ts';

const root = temporaryFolder();

type Verb = (...given: never[]) => Promise<unknown>;
type Group = 'pollers' | 'webhooks' | 'events' | 'deliveries';

/** For each method, the number of failures, and whether the call is applied but its response lost. */
type Faults = Map<string, { times: number; applied: boolean }>;

/** Runs a test with a service of its own, whose store fails as `faults` says. The tests mostly wait, so they run concurrently. */
async function withFaultyStore(run: (fixture: WebhookFixture, faults: Faults) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(root, 'store-'));
  const store = await openStore(readConfig({ DATA_DIR: directory }), systemRuntime);
  const faults: Faults = new Map();
  const groups: Group[] = ['pollers', 'webhooks', 'events', 'deliveries'];
  const failing = groups.map((group) => [group, { value: failingVerbs(store, group, faults) }]);
  const faulty = Object.create(store, Object.fromEntries(failing));
  const fixture = await startWebhookFixture({ DATA_DIR: directory }, { openStore: () => faulty });
  try {
    await run(fixture, faults);
  } finally {
    await fixture.stop();
  }
}

function failingVerbs(store: Store, group: Group, faults: Faults): object {
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

test.concurrent.each([
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
])('where %s fails a few times (applied: %s), all is delivered once it does not', (verb, applied) =>
  withFaultyStore(async (fixture, faults) => {
    const { client, account } = await fixture.actor();
    const [one, two] = [await fixture.receiver(), await fixture.receiver()];
    const sooner = verb !== 'pollers.find';
    if (sooner) faults.set(verb, { times: 2, applied });
    await register(client, { url: one.url });
    if (!sooner) {
      // The heartbeat is sent when a running poller is notified.
      await fixture.happen(account);
      await until(() => expect(one.deliveries).toHaveLength(1));
      one.requests.length = 0;
      faults.set(verb, { times: 2, applied });
    }
    await register(client, { url: two.url });
    await fixture.happen(account, 'follow', 30);
    await until(() => {
      for (const { deliveries } of [one, two]) expect(new Set(idsOf(deliveries)).size).toBe(30);
    });
    await until(() => expect(faults.get(verb)?.times).toBe(0));
    await fixture.happen(account, 'follow', 5);
    await until(() => {
      for (const { deliveries } of [one, two]) {
        expect(new Set(idsOf(deliveries)).size).toBe(35);
        expect(deliveries).toHaveLength(35);
      }
    });
  }),
);

test.concurrent.each([
  ['events.after', false],
  ['events.queueLate', true],
  ['webhooks.update', false],
])('where %s fails (applied: %s) while messages that waited are queued, each comes once', (verb, applied) =>
  withFaultyStore(async (fixture, faults) => {
    const [anna, ben] = await fixture.writers();
    const receiver = await fixture.receiver();
    await register(anna.client, { url: receiver.url, encryption_code: anna.account.encryptionCode });
    const fault = { kind: 'status', status: 500 };
    await fixture.sandbox.setFault({ fault, operation: 'getChatConversationEvents', times: null });
    await fixture.sandbox.makeMessage({ from: ben.account.userName, to: anna.account.userName, text: 'Waits' });
    await fixture.happen(anna.account);
    await until(() => expect(receiver.deliveries).toHaveLength(1));
    // The waiting state was stored, which notifies the poller again.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    faults.set(verb, { times: 1, applied });
    await fixture.sandbox.clearFaults();
    await until(() => expect(faults.get(verb)?.times).toBe(0));
    await until(() => expect(receiver.deliveries).toHaveLength(2));
    const [, { body } = { body: '' }] = receiver.deliveries;
    expect(JSON.parse(body)).toMatchObject({ text: 'Waits' });
  }),
);
