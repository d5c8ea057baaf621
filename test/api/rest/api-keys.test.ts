import { expect, test } from 'vitest';
import type { Client } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { service, newCaller } = await useService({ RATE_LIMIT: '0' });

interface Key {
  id: string;
  name: string;
  prefix: string;
  revoked_at: string | null;
  key?: string;
}

const create = async (client: Client, name: string, headers: Record<string, string> = {}) =>
  (await client.post('/account/keys', { name }, headers)).body.data as unknown as Required<Key>;
const list = async (client: Client) => (await client.get('/account/keys')).body.data['api_keys'] as Key[];
const revoke = (client: Client, id: string) => client.send('DELETE', `/account/keys/${id}`);

test('a created key works for the same account, and only the response of its creation contains it', async () => {
  const { client, keyId } = await newCaller();
  const made = await create(client, 'Nightly report');
  expect(made).toMatchObject({ name: 'Nightly report', last_used_at: null, revoked_at: null, revocable: true });
  expect(made.key.startsWith(made.prefix)).toBe(true);
  const other = client.with({ key: made.key });
  expect((await other.get('/account')).body.data['id']).toBe((await client.get('/account')).body.data['id']);
  expect((await list(other)).map(({ id }) => id).sort()).toEqual([keyId, made.id].sort());
  expect(JSON.stringify([await list(client), await client.get('/account'), service.log])).not.toContain(made.key);
  expect((await client.get('/account/balance')).body.data['balance']).toBe('1');
});

test('a revoked key is refused and stays listed', async () => {
  const { client } = await newCaller();
  const { id, key } = await create(client, 'Old');
  const revoked = await revoke(client, id);
  expect(revoked).toMatchObject({ status: 200, body: { data: { id, revoked_at: expect.any(String) } } });
  await expect.poll(async () => (await client.with({ key }).get('/account')).status).toBe(401);
  expect(await list(client)).toContainEqual(revoked.body.data);
  expect((await revoke(client, id)).body.data).toEqual(revoked.body.data);
});

test('a key of another account cannot be revoked', async () => {
  const { client } = await newCaller();
  const { client: stranger, keyId } = await newCaller();
  for (const id of [keyId, 'key_unknown']) expectRefusal(await revoke(client, id), 404, `API key not found: ${id}`);
  expect((await list(stranger)).map(({ revoked_at: at }) => at)).toEqual([null]);
});

test('a repeated creation with the same Idempotency-Key creates one key and returns it again', async () => {
  const { client } = await newCaller();
  const headers = { 'idempotency-key': 'a-key-of-mine' };
  const [first, second] = [await create(client, 'Once', headers), await create(client, 'Once', headers)];
  expect(second).toEqual(first);
  expect(await list(client)).toHaveLength(2);
});

test('an account may have 100 keys that are not revoked', async () => {
  const { client } = await newCaller();
  const names = Array.from({ length: 99 }, (_, i) => `Key ${i}`);
  const [some] = await Promise.all(names.map((name) => create(client, name)));
  const refused = await client.post('/account/keys', { name: 'One more' });
  expectRefusal(refused, 429, 'An account may have at most 100 API keys. Revoke one first');
  await revoke(client, some?.id ?? '');
  expect((await client.post('/account/keys', { name: 'One more' })).status).toBe(200);
});

test.each([
  [{}, 'Missing required field: name'],
  [{ name: '' }, 'Missing required field: name'],
  [{ name: ' ' }, 'Malformed field: name: must not be blank'],
  [{ name: 'x'.repeat(101) }, 'Malformed field: name: must be at most 100 characters'],
  [{ name: '\ud800' }, 'Malformed field: name: holds half of a surrogate pair'],
])('a name that is missing or malformed is 400: %j', async (body, error) => {
  const { client } = await newCaller();
  expectRefusal(await client.post('/account/keys', body), 400, error);
});
