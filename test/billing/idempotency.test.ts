import { expect, test } from 'vitest';
import { Idempotency } from '../../src/billing/idempotency.ts';
import { IdempotencyClaim } from '../../src/billing/idempotency-claim.ts';
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
  answer: async () => void ended.push('kept'),
};

function open(): Idempotency {
  return new Idempotency({ store, secretKeys, vault: new Vault(secretKeys, runtime), runtime, repeatable: true });
}

async function claim(idempotency: Idempotency, key: number): Promise<IdempotencyClaim> {
  const begun = await idempotency.begin({ account: 'a', key: `key ${key}`, content: '' });
  if (!(begun instanceof IdempotencyClaim)) throw new Error('there is an answer already');
  begun.token('write');
  return begun;
}

test('an account whose requests end with an unknown outcome too often has to wait', async () => {
  const idempotency = open();
  const unknown = new PosternError('platform_unreachable', 'The platform broke the connection');
  for (let i = 0; i < 60; i++) await (await claim(idempotency, i)).refuse(unknown, '');
  await expect(claim(idempotency, 61)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
  runtime.leap(1_000);
  await (await claim(idempotency, 62)).refuse(unknown, '');
});

test('a refusal that is too long to be kept for nothing frees its key', async () => {
  ended.length = 0;
  const refused = new PosternError('resource_not_found', 'Tweet not found: 1');
  const idempotency = open();
  await (await claim(idempotency, 1)).refuse(refused, 'x'.repeat(2_048));
  await (await claim(idempotency, 2)).refuse(refused, 'x'.repeat(2_049));
  expect(ended).toEqual(['kept', 'forgotten']);
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
  const vault = new Vault(secretKeys, runtime);
  const idempotency = new Idempotency({ store: broken, secretKeys, vault, runtime, repeatable: true });
  const unknown = new PosternError('platform_unreachable', 'The platform broke the connection');
  await (await claim(idempotency, 1)).refuse(unknown, '');
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
  const vault = new Vault(secretKeys, runtime);
  const idempotency = new Idempotency({ store: answered, secretKeys, vault, runtime, repeatable: true });
  await expect(idempotency.begin({ account: 'a', key: 'k', content: '' })).rejects.toMatchObject({
    status: 409,
    reason: 'idempotency_response_unreadable',
  });
});

test('an account whose responses are kept without a charge has to wait, the longer the responses are', async () => {
  const idempotency = open();
  for (let i = 0; i < 59; i++) await (await claim(idempotency, i)).keepUnpaid({ status: 200, body: 'x'.repeat(4_096) });
  await (await claim(idempotency, 60)).keepUnpaid({ status: 200, body: 'x'.repeat(10 * 4_096) });
  await expect(claim(idempotency, 61)).rejects.toMatchObject({ reason: 'idempotency_limit', retryAfterSeconds: 10 });
  runtime.leap(10_000);
  await claim(idempotency, 62);
  const other = idempotency.begin({ account: 'b', key: 'key', content: '' });
  await expect(other).resolves.toBeInstanceOf(IdempotencyClaim);
});
