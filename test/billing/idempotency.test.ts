import { expect, test } from 'vitest';
import { Idempotency } from '../../src/billing/idempotency.ts';
import type { IdempotencyClaim } from '../../src/billing/idempotency-claim.ts';
import { PosternError } from '../../src/shared/errors/postern-error.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { Vault } from '../../src/shared/secrets/vault.ts';
import type { IdempotencyStore } from '../../src/store/port.ts';
import { manualRuntime } from '../store/manual-runtime.ts';

const runtime = manualRuntime();
const secretKeys = [new Secret(Buffer.from('0123456789abcdefghijklmnopqrstuv'))];
const ended: string[] = [];
const store: IdempotencyStore = {
  claim: async ({ fingerprints }) => ({
    status: 'claimed',
    since: 0,
    fingerprint: fingerprints[0] ?? '',
    again: false,
  }),
  renew: async () => true,
  end: async (_claim, how) => void ended.push(how),
  answer: async (_claim, answer) => void ended.push(answer.length > 1_024 ? 'kept long' : 'kept'),
  repeat: async () => 1,
};

function open(own: IdempotencyStore = store): Idempotency {
  const vault = new Vault(secretKeys, runtime);
  return new Idempotency({ store: own, secretKeys, vault, runtime, repeatable: true, onError: () => {} });
}

async function claim(idempotency: Idempotency, key: number): Promise<IdempotencyClaim> {
  const begun = await idempotency.begin({ account: 'a', key: `key ${key}`, content: '' });
  if (begun.kind !== 'claimed') throw new Error('there is an answer already');
  begun.claim.token('write');
  return begun.claim;
}

test('an account whose requests end with an unknown outcome too often has to wait', async () => {
  const idempotency = open();
  const unknown = new PosternError('platform_unreachable', 'The platform broke the connection');
  for (let i = 0; i < 60; i++) await (await claim(idempotency, i)).refuse(unknown, () => '');
  await expect(claim(idempotency, 61)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
  runtime.leap(1_000);
  await (await claim(idempotency, 62)).refuse(unknown, () => '');
});

test('a refusal that is too long to be kept for nothing frees its key', async () => {
  ended.length = 0;
  const refused = new PosternError('resource_not_found', 'Tweet not found: 1');
  const idempotency = open();
  await (await claim(idempotency, 1)).refuse(refused, () => 'x'.repeat(650));
  await (await claim(idempotency, 2)).refuse(refused, () => 'x'.repeat(700));
  expect(ended).toEqual(['kept', 'forgotten']);
});

test.each([
  ['platform_credit_exhausted', 'forgotten'],
  ['platform_app_refused', 'forgotten'],
  ['platform_invalid_request', 'forgotten'],
  ['platform_paused', 'forgotten'],
  ['proxy_paused', 'forgotten'],
  ['platform_failed', 'unknown'],
] as const)('after %s the key is %s', async (reason, how) => {
  ended.length = 0;
  await (await claim(open(), 1)).refuse(new PosternError(reason, 'no'), () => '');
  expect(ended).toEqual([how]);
});

test('a claim that cannot be ended because the store is unavailable is ended when the store is back', async () => {
  ended.length = 0;
  let isAway = true;
  const broken: IdempotencyStore = {
    ...store,
    end: async (reference, how) => {
      if (isAway) throw new Error('away');
      await store.end(reference, how);
    },
  };
  const idempotency = open(broken);
  const unknown = new PosternError('platform_unreachable', 'The platform broke the connection');
  await (await claim(idempotency, 1)).refuse(unknown, () => '');
  await runtime.advance(5_000);
  isAway = false;
  await runtime.advance(1_000);
  expect(ended).toEqual(['unknown']);
  await runtime.advance(60_000);
  expect(ended).toEqual(['unknown']);
});

test('a response that was encrypted with a key that this process does not have yet is refused with 409', async () => {
  const otherKeys = [new Secret(Buffer.from('vutsrqponmlkjihgfedcba9876543210'))];
  const sealed = new Vault(otherKeys, runtime).seal('{}', 'idempotency a k');
  const answered: IdempotencyStore = { ...store, claim: async () => ({ status: 'answered', answer: sealed }) };
  await expect(open(answered).begin({ account: 'a', key: 'k', content: '' })).rejects.toMatchObject({
    status: 409,
    reason: 'idempotency_response_unreadable',
  });
});

test('an account whose responses are kept without a charge has to wait, and long responses are not kept', async () => {
  ended.length = 0;
  const idempotency = open();
  const outcome = () => ({ status: 409, body: '' });
  const keep = async (key: number, length: number) =>
    (await claim(idempotency, key)).keepUnpaid({ bodyOf: () => 'x'.repeat(length), outcome });
  for (let i = 0; i < 60; i++) await keep(i, i === 0 ? 100_000 : 100);
  expect(ended).toEqual(Array(60).fill('kept'));
  await expect(claim(idempotency, 61)).rejects.toMatchObject({ reason: 'idempotency_limit', retryAfterSeconds: 1 });
  runtime.leap(1_000);
  await claim(idempotency, 62);
  const other = idempotency.begin({ account: 'b', key: 'key', content: '' });
  await expect(other).resolves.toMatchObject({ kind: 'claimed' });
});

test('responses that are read together are opened in several turns of the event loop', async () => {
  const text = JSON.stringify({ body: 'x'.repeat(250_000) });
  const sealed = new Vault(secretKeys, runtime).seal(text, 'idempotency a k');
  const idempotency = open({ ...store, claim: async () => ({ status: 'answered', answer: sealed }) });
  let opened = 0;
  const all = Array.from({ length: 1_000 }, async () => {
    await idempotency.begin({ account: 'a', key: 'k', content: '' });
    opened += 1;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(opened).toBeLessThan(1_000);
  await Promise.all(all);
});
