import { beforeEach, describe, expect, test } from 'vitest';
import type { Runtime } from '../../../src/shared/runtime/runtime.ts';
import type { GraphqlClient } from '../../support/graphql.ts';
import { patientRuntime } from '../../support/patient-runtime.ts';
import { restingBalance } from '../../support/refusal.ts';
import { useCallCounts } from './call-count-fixture.ts';

let count = 0;

const limitMs = 1_500;
/** Makes the newest GraphQL request exceed its time limit now. */
let endLimit = () => {};
const runtime: Runtime = {
  ...patientRuntime,
  after(delayMs, task) {
    const timer = patientRuntime.after(delayMs, task);
    if (delayMs === limitMs) {
      endLimit = () => {
        timer.cancel();
        task();
      };
    }
    return timer;
  },
};

const fixture = await useCallCounts({ GRAPHQL_TIMEOUT_MS: String(limitMs) }, { runtime });
beforeEach(() => fixture.sandbox.clearFaults());

const { newCaller: caller } = fixture;
const newText = () => `A request cut short, number ${++count}`;

/** Sends a request and disconnects as soon as the platform receives `operation`. */
async function hangUpDuring(operation: string, graphql: GraphqlClient, query: string, headers = {}): Promise<void> {
  const controller = new AbortController();
  const received = await nextRequest(operation);
  const asking = graphql.ask(query, {}, headers, controller.signal);
  asking.catch(() => {});
  await received();
  controller.abort();
  await expect(asking).rejects.toThrow(/abort/i);
}

/** Returns a function that waits until the platform has received a further request of `operation`. */
async function nextRequest(operation: string): Promise<() => Promise<void>> {
  const before = await fixture.sandbox.requests(operation);
  return async () => {
    while ((await fixture.sandbox.requests(operation)) === before)
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
}

describe('a caller who hangs up', () => {
  test('during a mutation still gets all of it performed, and pays for it', async () => {
    const { graphql, rest } = await caller();
    const [one, other] = [newText(), newText()];
    await fixture.service.addFault({ kind: 'latency', ms: 1_200 }, { operation: 'createPosts' });
    const query = `mutation {
      a: createTweet(input: { text: "${one}" }) { id } b: createTweet(input: { text: "${other}" }) { id }
    }`;
    const key = { 'idempotency-key': 'cut short' };
    await hangUpDuring('createPosts', graphql, query, key);
    expect(await restingBalance(rest)).toBe('0.998');
    expect(await fixture.sandbox.tweets()).toEqual(expect.arrayContaining([one, other]));

    const again = await graphql.ask(query, {}, key);
    expect(again.data).toMatchObject({ a: { id: expect.any(String) }, b: { id: expect.any(String) } });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await restingBalance(rest)).toBe('0.998');
  });

  test('during reads ends them: nothing more is asked for, and what ran is charged', async () => {
    const { graphql, rest } = await caller();
    await fixture.service.addFault({ kind: 'latency', ms: 1_200 }, { operation: 'getUsersFollowers' });
    const query = '{ user(userName: "grace") { followers(first: 20) { nodes { mediaCount } } } }';
    const [, asked] = await fixture.sandbox.requestsDuring(async () => {
      await hangUpDuring('getUsersFollowers', graphql, query);
      expect(await restingBalance(rest)).toBe('0.999');
    });
    expect(asked).toEqual({ getUsersByUsername: 1, getUsersFollowers: 1 });
  });
});

describe('a request that takes too long', () => {
  test('answers with what was read in time, and is charged for that', async () => {
    const { graphql, rest } = await caller();
    await fixture.service.addFault({ kind: 'hang' }, { operation: 'getUserAbout' });
    const answer = await graphql.ask('{ user(userName: "grace") { name about { createdVia } } viewer { userId } }');
    expect(answer.status).toBe(200);
    expect(answer.data).toMatchObject({ user: { name: 'Grace Hollis', about: null }, viewer: {} });
    const extensions = { code: 'PLATFORM_TIMEOUT', status: 504 };
    expect(answer.errors).toMatchObject([{ path: ['user', 'about'], extensions }]);
    expect(answer.errors[0]?.message).toMatch(/exceeded its time limit/);
    expect(answer.extensions).toMatchObject({ cost: { quoted: '0.003', actual: '0.002' } });
    expect(answer.headers.get('x-credits-charged')).toBe('0.002');
    expect(await restingBalance(rest)).toBe('0.998');
  });

  test('finishes what it had begun to write, but does not read any more', async () => {
    const { graphql, rest } = await caller();
    const text = newText();
    await fixture.service.addFault({ kind: 'latency', ms: 5_000 }, { operation: 'createPosts' });
    const query = `mutation { createTweet(input: { text: "${text}" }) { text tweet { likeCount } } }`;
    const received = await nextRequest('createPosts');
    const [answer, asked] = await fixture.sandbox.requestsDuring(async () => {
      const asking = graphql.ask(query);
      await received();
      endLimit();
      return asking;
    });
    expect(answer.data).toEqual({ createTweet: { text, tweet: null } });
    expect(answer.errors).toMatchObject([{ extensions: { code: 'PLATFORM_TIMEOUT', status: 504 } }]);
    expect(asked).toEqual({ createPosts: 1 });
    expect(await restingBalance(rest)).toBe('0.999');
  });
});
