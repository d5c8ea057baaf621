import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startForwardProxy } from '../proxy/forward-proxy.ts';
import { until } from '../support/until.ts';
import { changeWebhook, register, startWebhookFixture } from './fixture.ts';

test('no secret, token, proxy, body or excerpt is in a later response, the log, the metrics or a file', async () => {
  const fixture = await startWebhookFixture({ OUTBOUND_ALLOW: '127.0.0.0/8', LOG_LEVEL: 'trace' });
  const proxy = await startForwardProxy({ user: 'canary-proxy-user', password: 'canary-proxy-password' });
  const { account, client } = await fixture.actor();
  const secret = 'canary-webhook-secret';
  const excerpt = 'canary-excerpt-of-an-answer';
  const words = 'canary words of a mention';
  const { url } = await fixture.receiver({ secret, answer: () => ({ status: 500, body: excerpt }) });
  const urlToken = 'canary-token-in-a-url';
  const { id } = await register(client, { url: `${url}?token=${urlToken}`, secret, proxy: proxy.url });
  await client.post('/tweet/create', { text: 'Mine' });
  await fixture.happen(account, 'mention', 1, { text: words });
  const owner = client.with({ authToken: '' });
  const said: string[] = [];
  const ask = async (asked: Promise<{ body: unknown }>) => said.push(JSON.stringify((await asked).body));
  await until(async () => {
    const { deliveries } = (await owner.get(`/webhooks/${id}/deliveries`)).body.data;
    expect(deliveries).toMatchObject([{ outcome: 'retrying', response_code: 500, error: 'status 500' }]);
  });
  await ask(owner.get('/webhooks'));
  await ask(owner.get(`/webhooks/${id}`));
  await ask(owner.get(`/webhooks/${id}/deliveries`));
  await ask(owner.post(`/webhooks/${id}/test`));
  await ask(owner.post('/webhooks/replay', { webhook_id: id }));
  await ask(
    changeWebhook(client, 'PUT', `/webhooks/${id}`, { auth_token: client.options.authToken, proxy: proxy.url }),
  );
  await ask(changeWebhook(client, 'PATCH', `/webhooks/${id}`, { events: null }));
  await ask(client.post('/webhooks', { url, secret: secret.slice(0, 9), proxy: proxy.url }));
  expect(said[0]).toContain(id);
  const rotated = (await owner.post(`/webhooks/${id}/rotate-secret`)).body.data['secret'];
  await ask(owner.get('/webhooks'));
  said.push(await (await fetch(`${fixture.service.origin}/metrics`)).text());
  await proxy.stop();
  await fixture.happen(account);
  await until(() => expect(fixture.service.log.join()).toContain('a poller could not go on'));
  said.push(...fixture.service.log);
  const canaries = [secret, String(rotated), account.authToken, proxy.password, proxy.user, words, excerpt];
  const telling = (texts: string[]) => canaries.filter((canary) => texts.some((text) => text.includes(canary)));
  expect(telling(said)).toEqual([]);
  expect(fixture.service.log.some((line) => line.includes(urlToken))).toBe(false);

  const kept = readdirSync(fixture.service.dataDir).filter((name) => /sqlite|\.db/.test(name));
  expect(kept.length).toBeGreaterThan(0);
  const files = kept.map((name) => readFileSync(join(fixture.service.dataDir, name), 'latin1'));
  expect(files.some((text) => text.includes(id))).toBe(true);
  expect(telling(files)).toEqual([]);
  expect(files.some((text) => text.includes(urlToken))).toBe(false);
});
