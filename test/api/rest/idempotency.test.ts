import { join } from 'node:path';
import Libsql from 'libsql';
import { describe, expect, test } from 'vitest';
import type { Answer, Client } from '../../support/client.ts';
import { expectRefusal, restingBalance } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

let count = 0;

const { service, sandbox, newCaller } = await useService({ PLATFORM_TIMEOUT_MS: '1000' });

const caller = async (dollars = '1'): Promise<Client> => (await newCaller(dollars)).client.with(await sandbox.mint());
const newKey = () => `key-${++count}`;
const under = (key: string) => ({ 'idempotency-key': key });
const newText = () => `An idempotent thought, number ${++count}`;
const tweet = (client: Client, key: string, text: string) => client.post('/tweet/create', { text }, under(key));
const timesPosted = async (text: string) => (await sandbox.tweets()).filter((posted) => posted === text).length;

function expectReplay(answer: Answer, first: Answer): void {
  expect(answer.status).toBe(first.status);
  expect(answer.body).toEqual(first.body);
  expect(answer.headers.get('idempotent-replayed')).toBe('true');
  expect(answer.headers.get('x-credits-charged')).toBeNull();
  expect(answer.headers.get('x-credits-remaining')).toBeNull();
}

describe('the same request with the same Idempotency-Key', () => {
  test('gets the first answer again, and is performed and billed once', async () => {
    const client = await caller();
    const [key, text] = [newKey(), newText()];
    const first = await tweet(client, key, text);
    expect(first.status).toBe(200);
    expect(first.headers.get('x-credits-charged')).toBe('0.001');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    for (let i = 0; i < 3; i++) expectReplay(await tweet(client, key, text), first);
    expect(await timesPosted(text)).toBe(1);
    expect(await restingBalance(client)).toBe('0.999');
  });

  test('sent 50 times at once makes one tweet and one charge; the others get its answer or 409', async () => {
    const client = await caller();
    const [key, text] = [newKey(), newText()];
    const answers = await Promise.all(Array.from({ length: 50 }, () => tweet(client, key, text)));
    const first = answers.find((answer) => answer.headers.get('x-credits-charged') === '0.001');
    expect(first?.status).toBe(200);
    for (const answer of answers) {
      if (answer === first || !first) continue;
      if (answer.status === 200) expectReplay(answer, first);
      else {
        expectRefusal(answer, 409, /Idempotency-Key is still running/);
        expect(answer.headers.get('retry-after')).toBe('1');
      }
    }
    expect(await timesPosted(text)).toBe(1);
    expect(await restingBalance(client)).toBe('0.999');
  });

  test('is recognized with another order of its fields and another place of its credentials', async () => {
    const client = await caller();
    const { authToken = '' } = client.options;
    const [key, text] = [newKey(), newText()];
    const headers = { 'content-type': 'application/json', ...under(key) };
    const first = await tweet(client, key, text);
    const swapped = JSON.stringify({ text, auth_token: authToken });
    expectReplay(await client.send('POST', '/tweet/create', swapped, headers), first);
    const inHeader = { ...headers, 'x-auth-token': authToken };
    expectReplay(await client.send('POST', '/tweet/create', JSON.stringify({ text }), inHeader), first);
  });

  test('needs no credit when it is repeated', async () => {
    const client = await caller('0.001');
    const [key, text] = [newKey(), newText()];
    const first = await tweet(client, key, text);
    expect(first.status).toBe(200);
    expectReplay(await tweet(client, key, text), first);
    expectRefusal(await tweet(client, newKey(), newText()), 402);
  });

  test('is performed again with the same token if its outcome is unknown', async () => {
    const client = await caller();
    const [key, text] = [newKey(), newText()];
    await service.addFault({ kind: 'reset_after' }, { operation: 'createPosts', times: 1 });
    expectRefusal(await tweet(client, key, text), 502);
    const again = await tweet(client, key, text);
    expect(again.status).toBe(200);
    expect(again.headers.get('x-credits-charged')).toBe('0.001');
    expectReplay(await tweet(client, key, text), again);
    expect(await timesPosted(text)).toBe(1);
    expect(await restingBalance(client)).toBe('0.999');
  });

  test('gets the same refusal of the platform again, without a charge', async () => {
    const client = await caller();
    const key = newKey();
    const like = () => client.post('/tweet/favorite', { tweet_id: '1' }, under(key));
    const first = await like();
    expectRefusal(first, 404, 'Tweet not found: 1');
    const asked = await sandbox.requests('likePost');
    expectReplay(await like(), first);
    expect(await sandbox.requests('likePost')).toBe(asked);
    expect(await restingBalance(client)).toBe('1');
  });

  test('frees its key if the account has too many stored refusals, because they are free', async () => {
    const client = await caller();
    const like = (key: string) => client.post('/tweet/favorite', { tweet_id: '1' }, under(key));
    const keys = Array.from({ length: 120 }, newKey);
    for (const key of keys) expectRefusal(await like(key), 404);
    const raw = new Libsql(join(service.dataDir, 'postern.sqlite'), { readonly: true });
    const isKept = raw.prepare('SELECT 1 FROM idempotency WHERE key = ?');
    const kept = keys.filter((key) => isKept.get(key) !== undefined);
    raw.close();
    expect(kept.length).toBeGreaterThanOrEqual(60);
    expect(kept.length).toBeLessThan(90);
    const again = await like(keys.find((key) => !kept.includes(key)) ?? '');
    expectRefusal(again, 404);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
  });

  test('can be repeated after a refusal with Retry-After', async () => {
    const client = await caller();
    const [key, text] = [newKey(), newText()];
    await service.addFault({ kind: 'rate_limit', retry_after: 0 }, { operation: 'createPosts', times: 1 });
    expect((await tweet(client, key, text)).status).toBe(429);
    const again = await tweet(client, key, text);
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
  });

  test('frees its key if it is refused before the platform is called', async () => {
    const client = await caller('0.001');
    const key = newKey();
    expectRefusal(await tweet(client, key, ''), 400);
    expect((await tweet(client, newKey(), newText())).status).toBe(200);
    expectRefusal(await tweet(client, key, newText()), 402);
    // Another request with the same key succeeds, because the refusals were not stored.
    expectRefusal(await tweet(client, key, newText()), 402);
  });
});

describe('a read with an Idempotency-Key', () => {
  const timeline = (client: Client, key: string, count = 1) =>
    client.post('/user/home_timeline', { count }, under(key));

  test('is performed again when it is repeated, is charged once, and is not kept', async () => {
    const client = await caller();
    const reads = [
      ['/user/home_timeline', { count: 5 }],
      ['/user/followers_you_know', { user_name: 'grace' }],
    ] as const;
    for (const [path, input] of reads) {
      const key = newKey();
      const first = await client.post(path, input, under(key));
      expect(first.status).toBe(200);
      expect(first.headers.get('x-credits-charged')).toBe('0.001');
      const [again, asked] = await sandbox.requestsDuring(() => client.post(path, input, under(key)));
      const { next_cursor: _cursor, ...data } = first.body.data as Record<string, unknown>;
      expectReplay(again, { ...first, body: { ...first.body, data: expect.objectContaining(data) } });
      expect(Object.values(asked)).toContain(1);
    }
    expect(await restingBalance(client)).toBe('0.998');
    const raw = new Libsql(join(service.dataDir, 'postern.sqlite'), { readonly: true });
    const longest = raw.prepare('SELECT LENGTH(answer) AS length FROM idempotency WHERE key = ?').get(`key-${count}`);
    raw.close();
    expect((longest as { length: number }).length).toBeLessThan(1_024);
  });

  test('is repeated ten times for nothing, and is then refused with 409 outcome_known', async () => {
    const client = await caller();
    const key = newKey();
    for (let i = 0; i < 11; i++) expect((await timeline(client, key)).status).toBe(200);
    const refused = await timeline(client, key);
    expectRefusal(refused, 409, /^outcome known: the read .* send a new key to read again$/);
    expect(refused.headers.get('x-error-code')).toBe('conflict');
    expect(await restingBalance(client)).toBe('0.999');
  });

  test('is refused with 422 for another request, and freed if it fails', async () => {
    const client = await caller();
    const key = newKey();
    await service.addFault({ kind: 'status', status: 503 }, { operation: 'getSandboxHome' });
    expectRefusal(await timeline(client, key), 502);
    const second = await timeline(client, key, 2);
    expect(second.headers.get('x-credits-charged')).toBe('0.001');
    expectRefusal(await timeline(client, key, 3), 422);
  });
});

describe('the kept responses of an account', () => {
  test('are only ids beyond 64 MiB, with which a repeated write is refused with 409 outcome_known', async () => {
    const { client, id: account } = await newCaller();
    const raw = new Libsql(join(service.dataDir, 'postern.sqlite'));
    const insert = raw.prepare('INSERT INTO kept_responses (account, hour, bytes) VALUES (?, ?, ?)');
    insert.run([account, Math.floor(Date.now() / 3_600_000), 64 * 1_024 * 1_024]);
    raw.close();
    const [key, text] = [newKey(), `${newText()} ${'in many words '.repeat(100).trim()}`];
    const first = await tweet(client, key, text);
    expect(first.status).toBe(200);
    const ids = JSON.stringify([{ action: 'tweet/create', id: first.body.data['id'] }]);
    const again = await tweet(client, key, text);
    expectRefusal(again, 409, new RegExp(`^outcome known: .*${ids.replaceAll(/[[{]/g, '\\$&')}$`));
    expect(again.headers.get('x-outcome-ids')).toBe(ids);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await timesPosted(text)).toBe(1);
    const [short, shortText] = [newKey(), newText()];
    const shortOne = await tweet(client, short, shortText);
    expectReplay(await tweet(client, short, shortText), shortOne);
    expect(await restingBalance(client)).toBe('0.998');
  });
});

describe('an Idempotency-Key', () => {
  test('is refused for another request: body, actor, action or encryption code', async () => {
    const client = await caller();
    const other = client.with({ authToken: (await sandbox.mint()).authToken });
    const [key, text] = [newKey(), newText()];
    const first = await tweet(client, key, text);
    const refusal = /Idempotency-Key was used for another request/;
    expectRefusal(await tweet(client, key, newText()), 422, refusal);
    expectRefusal(await tweet(other, key, text), 422, refusal);
    expectRefusal(await client.post('/tweet/favorite', { tweet_id: '1' }, under(key)), 422, refusal);
    const coded = await client.post('/tweet/create', { text }, { ...under(key), 'x-encryption-code': '1234' });
    expectRefusal(coded, 422, refusal);
    expectReplay(await tweet(client, key, text), first);
  });

  test('belongs to its account', async () => {
    const client = await caller();
    const { key: otherApiKey } = await service.makeAccount('1');
    const [key, text] = [newKey(), newText()];
    expect((await tweet(client, key, text)).status).toBe(200);
    const other = await tweet(client.with({ key: otherApiKey }), key, newText());
    expect(other.status).toBe(200);
    expect(other.headers.get('x-credits-charged')).toBe('0.001');
  });

  test('must be 1 to 255 printable characters', async () => {
    const client = await caller();
    for (const key of ['x'.repeat(256), 'caf\u00e9', 'a\tb']) {
      expectRefusal(await tweet(client, key, newText()), 400, /^Malformed header: Idempotency-Key/);
    }
    expect((await tweet(client, 'x'.repeat(255), newText())).status).toBe(200);
    expect((await tweet(client, '"quoted, as RFC 8941 has it"', newText())).status).toBe(200);
  });

  test('means nothing on a GET', async () => {
    const client = await caller();
    for (let i = 0; i < 2; i++) {
      const answer = await client.get('/user/info', { userName: 'grace' }, under('a key'));
      expect(answer.headers.get('x-credits-charged')).toBe('0.001');
    }
  });

  test('keeps its answer and its request sealed', async () => {
    const client = await caller();
    const [key, text] = [newKey(), newText()];
    await tweet(client, key, text);
    const raw = new Libsql(join(service.dataDir, 'postern.sqlite'), { readonly: true });
    const row = raw.prepare('SELECT * FROM idempotency WHERE key = ?').get(key) as Record<string, unknown>;
    raw.close();
    expect(row['answer']).toMatch(/^v1\./);
    const shown = JSON.stringify(row);
    expect(shown).not.toContain(text);
    expect(shown).not.toContain(client.options.authToken);
  });
});
