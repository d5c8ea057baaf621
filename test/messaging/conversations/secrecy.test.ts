import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GraphqlClient } from '../../support/graphql.ts';
import { startReceiver } from '../../support/receiver.ts';
import { dataOf, startMessageFixture } from './fixture.ts';

/** Texts that occur nowhere else. */
const canaries = ['Canary one: the spare key is under the fern', 'Canary two, edited', 'Canary three in a caption'];
const newCode = '730852';

const fixture = await startMessageFixture();
const [anna, ben] = [await fixture.mint(), await fixture.mint()];

test('no text, no code and no key is stored or logged', async () => {
  const [first = '', edited = '', caption = ''] = canaries;
  const receiver = await startReceiver({ secret: 'the-secret-of-these-tests' });
  const codes = { anna: anna.account.encryptionCode, ben: ben.account.encryptionCode };
  const hook = { url: receiver.url, secret: 'the-secret-of-these-tests', encryption_code: codes.anna };
  dataOf(await anna.client.post('/webhooks', hook));
  const key = { 'idempotency-key': 'canary' };
  const { conversation_id, seq_id } = dataOf(
    await ben.post('/dm/send', { user_id: anna.account.userId, text: first }, key),
  ) as { conversation_id: string; seq_id: string };
  dataOf(await ben.post('/dm/edit', { conversation_id, seq_id, text: edited }));
  const bytes = Buffer.from('Canary bytes of a file').toString('base64');
  dataOf(await ben.post('/dm/send_media', { conversation_id, image_base64: bytes, type: 5, text: caption }));
  const keyless = await fixture.mint({ chatKeys: false });
  dataOf(await keyless.post('/dm/enroll', { encryption_code: newCode }));
  await anna.get('/dm/list', {}, { 'x-encryption-code': '907351' });
  const graphql = new GraphqlClient({
    url: fixture.service.demo.graphqlUrl,
    key: anna.client.options.key ?? '',
    authToken: anna.account.authToken,
  });
  const asked = await graphql.ask('{ conversations { nodes { messages { nodes { text } } } } }', {}, anna.code);
  expect(JSON.stringify(asked.data)).toContain(edited);
  // The receiver has the message, so it was decrypted, stored and sent.
  await expect.poll(() => receiver.deliveries.length).toBeGreaterThanOrEqual(3);
  expect(receiver.deliveries.map(({ body }) => body).join()).toContain(first);
  await receiver.stop();

  const { dataDir, log } = fixture.service;
  const stored = readdirSync(dataDir, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'demo.json')
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name))] as const);
  expect(stored.map(([name]) => name)).toEqual(expect.arrayContaining(['sandbox.sqlite']));
  const secret = [...canaries, 'Canary bytes of a file', bytes];
  for (const text of secret) {
    for (const [name, content] of stored) expect(content.includes(text), `${text} in ${name}`).toBe(false);
    expect(
      log.some((line) => line.includes(text)),
      `${text} in the log`,
    ).toBe(false);
  }
  // A code has six digits, which may be part of an id by chance, so the search excludes matches inside longer texts.
  for (const code of [codes.anna, codes.ben, newCode]) {
    const alone = new RegExp(`(?<![0-9A-Za-z])${code}(?![0-9A-Za-z])`);
    for (const [name, content] of stored)
      expect(alone.test(content.toString('latin1')), `a code in ${name}`).toBe(false);
    expect(log.filter((line) => alone.test(line))).toEqual([]);
  }
});
