import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/refusal.ts';
import { changeWebhook, register, secret, startWebhookFixture } from './fixture.ts';

const fixture = await startWebhookFixture();

const long = (length: number) => `https://hooks.example/${'x'.repeat(length - 'https://hooks.example/'.length)}`;

describe.each<[string, Record<string, unknown>, number, RegExp]>([
  ['without a url', { url: undefined }, 400, /Missing required field: url/],
  ['with a url that is none', { url: 'hooks.example' }, 400, /url: .*https:\/\//],
  ['with http to another host', { url: 'http://hooks.example/' }, 400, /url: .*https:\/\//],
  ['with http to the address of localhost', { url: 'http://127.0.0.1:9/' }, 400, /url: .*http:\/\/localhost/],
  [
    'with a user named localhost of another host',
    { url: 'http://localhost:80@hooks.example/' },
    400,
    /url: .*without a user/,
  ],
  ['with localhost as part of a name', { url: 'http://localhost.hooks.example/' }, 400, /url: /],
  ['with a user name', { url: 'https://me:word@hooks.example/' }, 400, /url: .*user name/],
  ['with another scheme', { url: 'ftp://hooks.example/' }, 400, /url: /],
  ['with https to a private address', { url: 'https://10.1.2.3/' }, 400, /url: must not lead to/],
  ['with https to a private address in disguise', { url: 'https://0x7f000001/' }, 400, /url: must not lead to/],
  ['with https to localhost', { url: 'https://localhost:9/' }, 400, /url: must not lead to/],
  ['with https to a metadata address', { url: 'https://[fe80::1]/' }, 400, /url: must not lead to/],
  ['with a line break', { url: 'https://hooks.example/\n' }, 400, /url: /],
  ['with a url of 201 characters', { url: long(201) }, 400, /url: must be at most 200 characters/],
  ['with a secret of 15 characters', { secret: 's'.repeat(15) }, 400, /secret: must be 16 to 128 characters/],
  ['with a secret of 129 characters', { secret: 's'.repeat(129) }, 400, /secret: must be 16 to 128 characters/],
  ['with an unknown type of event', { events: ['tweet.like', 'tweet.poke'] }, 400, /events/],
  ['with no type of event', { events: [] }, 400, /events: must name at least one/],
  ['with events that are no list', { events: 'tweet.like' }, 400, /events/],
  ['without auth_token', { auth_token: '' }, 400, /auth_token/],
  ['with a token that the platform rejects', { auth_token: 'f'.repeat(40) }, 403, /^Platform rejected auth_token$/],
  ['with a wrong encryption_code', { encryption_code: '907351' }, 403, /^Wrong encryption_code: 19 guesses remaining$/],
  ['with a proxy of another scheme', { proxy: 'socks5://proxy.example:1080' }, 400, /proxy/],
])('a registration %s', (_name, wish, status, error) => {
  test(`is refused with ${status}, without a request to the receiver or a charge`, async () => {
    const { client } = await fixture.actor();
    const { url, requests } = await fixture.receiver();
    expectRefusal(await client.post('/webhooks', { url, secret, ...wish }), status, error);
    expect(requests).toHaveLength(0);
    const { webhooks } = (await client.get('/webhooks')).body.data;
    expect(webhooks).toEqual([]);
  });
});

test('a URL of 200 characters is accepted and stored unchanged', async () => {
  const { client } = await fixture.actor();
  const { valid, url } = await register(client, { url: long(200) });
  expect([valid, url]).toEqual([false, long(200)]);
});

test('a new URL has the same rules, and a refused one does not replace the old one', async () => {
  const { client } = await fixture.actor();
  const { url } = await fixture.receiver();
  const { id } = await register(client, { url });
  for (const refused of [
    long(201),
    'http://hooks.example/',
    'https://192.168.0.1/',
    'http://localhost:1@hooks.example',
  ]) {
    expectRefusal(await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { url: refused }), 400, /url/);
  }
  expect((await client.get(`/webhooks/${id}`)).body.data).toMatchObject({ url, valid: true });
});

test('the error of a name with a private address does not contain the address', async () => {
  const other = await startWebhookFixture({}, { resolve: async () => [{ address: '10.0.0.7' }] });
  const { client } = await other.actor();
  const { id, valid } = await register(client, { url: 'https://inside.example/hook' });
  expect(valid).toBe(false);
  const { last_error } = (await client.get(`/webhooks/${id}`)).body.data;
  expect(last_error).toBe('CRC failed: its host must not lead to an address that is not public');
});

test('http://localhost is refused if it is configured so', async () => {
  const other = await startWebhookFixture({ ALLOW_LOCALHOST_WEBHOOKS: '0' });
  const { client } = await other.actor();
  const { url, requests } = await fixture.receiver();
  expectRefusal(await client.post('/webhooks', { url, secret }), 400, /url: must be a URL with https:\/\//);
  expect(requests).toHaveLength(0);
});
