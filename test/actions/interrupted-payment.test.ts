import { afterEach, describe, expect, test } from 'vitest';
import type { PreparedCall } from '../../src/actions/pipeline/action-pipeline.ts';
import { payFor } from '../../src/actions/pipeline/paid-request.ts';
import { createTweet } from '../../src/actions/tweet/create.ts';
import { homeTimeline } from '../../src/actions/user/own-tweets.ts';
import { CallRecorder } from '../../src/billing/call-recorder.ts';
import { Idempotency } from '../../src/billing/idempotency.ts';
import { Ledger } from '../../src/billing/ledger.ts';
import { PosternError } from '../../src/shared/errors/postern-error.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { Vault } from '../../src/shared/secrets/vault.ts';
import { claimTtlMs, type Store } from '../../src/store/port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { manualRuntime } from '../store/manual-runtime.ts';

const { price } = createTweet;
const account = 'a';
const secretKeys = [new Secret(Buffer.alloc(32))];

let store: Store | undefined;
afterEach(() => store?.close());

/** A request in which each step of `broken` throws, as often as `times` says. */
async function start(effect: 'read' | 'write', broken: readonly string[], times: number) {
  const runtime = manualRuntime();
  const opened = openSqliteStore({ path: ':memory:', runtime, durable: false });
  store = opened;
  await opened.accounts.create({ id: account, name: 'Ada', createdAt: 1 });
  await opened.ledger.topUp({ id: 'p', account, micros: 10 * price, description: '', createdAt: 1 });
  const thrown = new Map<string, number>();
  const step = (name: string) => {
    const count = thrown.get(name) ?? 0;
    if (!broken.includes(name) || count === times) return;
    thrown.set(name, count + 1);
    throw new Error(`${name} failed`);
  };
  /** Breaks a method of a part. The methods of parts with private fields need their own `this`. */
  const breaking = <Part extends object>(part: Part, methods: readonly string[]): Part =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (methods.includes(String(name))) step(String(name));
          return value.apply(target, args) as unknown;
        };
      },
    });
  const ledger = new Ledger({
    store: opened.ledger,
    runtime,
    storeNow: () => {
      // The ledger reads the clock for a settlement while the call is charged.
      if (isSettling) step('storeNow');
      return runtime.now();
    },
  });
  let isSettling = false;
  const recorder = new CallRecorder({ store: opened.statistics, storeNow: runtime.now });
  const idempotency = new Idempotency({
    store: breaking(opened.idempotency, ['renew', 'end', 'answer']),
    secretKeys,
    vault: breaking(new Vault(secretKeys, runtime), ['seal']),
    runtime,
    repeatable: false,
    onError: () => {},
  });
  let performed = 0;
  const call: PreparedCall = {
    action: effect === 'read' ? homeTimeline : createTweet,
    unchecked: 0,
    check: async () => {},
    run: async (tokenFor) => {
      if (effect === 'write') tokenFor('createTweet');
      step('platform');
      if (broken.includes('refusal')) throw new PosternError('resource_not_found', 'Tweet not found: 1');
      performed += 1;
      await runtime.advance(claimTtlMs / 2);
      return { tweetId: '123', text: 'x'.repeat(2_000) };
    },
  };
  const parts = {
    ledger: breaking(ledger, ['settle']),
    recorder: breaking(recorder, ['succeeded']),
    idempotency,
    runtime,
  };
  const encoded = (output: unknown) => {
    step('encode');
    isSettling = true;
    return output;
  };
  const send = (key: string | null) => {
    const payment = {
      account,
      budget: null,
      idempotency: key === null ? null : { key, content: 'request' },
      bodyOf: (outcome: unknown) => {
        step('bodyOf');
        return JSON.stringify(outcome);
      },
      errorBodyOf: ({ message }: PosternError) => {
        step('errorBodyOf');
        return message;
      },
      discard: () => step('discard'),
    };
    if (effect === 'read')
      return payFor(parts, { ...payment, call, outcomeOf: encoded, whileCharging: () => step('whileCharging') });
    return payFor<unknown>(parts, {
      ...payment,
      quote: price,
      run: async (session) =>
        encoded(
          await session.run(call).catch((error: unknown) => {
            if (broken.includes('failureOf')) return error;
            throw error;
          }),
        ),
      failureOf: (outcome) => {
        step('failureOf');
        return outcome instanceof PosternError ? outcome : null;
      },
    });
  };
  const balance = async () => {
    await runtime.advance(1_000);
    await ledger.returned(account);
    return opened.ledger.balance(account);
  };
  return { runtime, send, balance, performed: () => performed };
}

const alone = ['platform', 'refusal', 'succeeded', 'encode', 'bodyOf', 'seal', 'storeNow', 'settle', 'whileCharging'];
const ends = ['renew', 'end', 'answer', 'platform and end', 'refusal and answer', 'whileCharging and discard'];
const refused = ['errorBodyOf', 'seal', 'settle', 'failureOf', 'failureOf and bodyOf'].map(
  (one) => `refusal and ${one}`,
);
const encodings = ['encode and errorBodyOf', 'encode and seal', 'bodyOf and errorBodyOf', 'succeeded and errorBodyOf'];
const settlements = ['settle and seal', 'settle and discard', 'storeNow and errorBodyOf and discard'];
const steps = [...alone, ...ends, ...refused, ...encodings, ...settlements];
/** A ledger that always throws cannot release anything. */
const throwsOnce = (broken: readonly string[]) => broken.includes('settle') || broken.includes('storeNow');
const ways = steps.flatMap((names) => {
  const broken = names.split(' and ');
  return (throwsOnce(broken) ? [1] : [1, 100]).flatMap((times) =>
    (['write', 'read'] as const).flatMap((effect) =>
      [null, 'key'].map((key) => ({ steps: names, broken, times, effect, key })),
    ),
  );
});

describe('a paid request with a step that throws', () => {
  test.each(ways)(
    'is charged if it has written, once, and holds no credit: $steps, $times times, $effect, $key',
    async (way) => {
      const { broken, effect, key, times } = way;
      const { runtime, send, balance, performed } = await start(effect, broken, times);
      const [first] = await Promise.allSettled([send(key)]);
      const isRefused = first.status === 'rejected' || first.value.kind === 'kept' || first.value.settled === null;
      const isCharged = performed() > 0 && (effect === 'write' || !isRefused || broken.includes('whileCharging'));
      expect(await balance()).toMatchObject({ held: 0, charged: isCharged ? price : 0 });

      if (key === null) return;
      // A claim whose end has not reached the store expires.
      await runtime.advance(2 * claimTtlMs);
      const [again] = await Promise.allSettled([send(key)]);
      if (isCharged && effect === 'write') {
        expect(performed()).toBe(1);
        if (again.status === 'rejected') expect(again.reason).toMatchObject({ status: 409 });
        else expect(again.value).toMatchObject({ kind: 'kept' });
      }
      const after = await balance();
      expect(after?.held).toBe(0);
      expect(after?.charged).toBe(isCharged || (after?.charged ?? 0) > 0 ? price : 0);
    },
  );
});
