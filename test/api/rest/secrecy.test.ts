import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { exchange } from '../../support/raw.ts';
import { useService } from '../../support/use-service.ts';

const metricsToken = 'metrics-token-not-to-be-seen';
const secretKey = createHash('sha256').update('sealing key, not to be seen').digest('base64');
const proxy = 'http://proxyuser:proxypassword@proxy.example:8080';
/** All error responses, log lines and metrics of the service. */
const said: string[] = [];

const {
  service,
  sandbox,
  ada: client,
} = await useService(
  { LOG_LEVEL: 'trace', METRICS_TOKEN: metricsToken, SECRET_KEY: secretKey, PLATFORM_TIMEOUT_MS: '150' },
  { dollars: '0.005', resolve: async () => [] },
);

test('no key, token or password is in a log line, a metric or the answer of a refused call', async () => {
  const { key = '', authToken = '' } = client.options;
  const rejected = 'rejected-token-0123456789abcdef';
  const unknownKey = `pstn_${'unknown'.repeat(6)}`.slice(0, 43);
  const json = { 'content-type': 'application/json' };
  const info = { userName: 'ada' };

  const answers = [
    await client.get('/user/info', info),
    await client.post('/tweet/create', { text: 'A secret is safe here' }),
    await client.post('/tweet/create', { text: 'A secret is safe here' }),
    await client.with({ authToken: rejected }).get('/user/info', info),
    await client.with({ authToken: `${authToken};x` }).post('/tweet/create', { text: 'x' }),
    await client.with({ key: unknownKey }).get('/account'),
    await client.with({ key: key.slice(0, -1) }).get('/account'),
    await client.with({ key: authToken }).get('/account'),
    await client.get('/user/info', info, { 'x-auth-token': rejected }),
    await client.get('/user/info', { ...info, proxy }),
    await client.post('/tweet/create', { text: 'x', proxy }),
    await client.get('/user/info', { userName: authToken.repeat(2) }),
    await client.get('/tweet/advanced_search', { q: 'tea', cursor: secretKey }),
    await client.send('POST', '/tweet/create', `{"auth_token":"${authToken}",`, json),
    await client.send('POST', '/tweet/create', `auth_token=${authToken}`, json),
    await client.send('GET', `/nowhere/${authToken}?auth_token=${authToken}`),
    await client.send('GET', `/user/info?auth_token=${authToken}&auth_token=${authToken}`),
    await client.send('DELETE', `/tweet/create?auth_token=${authToken}`),
  ];
  for (const kind of ['hang', 'reset', 'nonsense', 'wrong_shape', 'truncated']) {
    await service.addFault({ kind }, { times: 2 });
    answers.push(await client.get('/user/info', info), await client.post('/tweet/create', { text: `After ${kind}` }));
    await sandbox.clearFaults();
  }
  await client.get('/user/info', info);
  await client.get('/user/info', info);
  answers.push(await client.get('/user/info', info), await client.get('/account'), await client.get('/account/usage'));
  const raw = await exchange(service.origin, `GET /v1/${authToken} HTTP/1.1\r\nAuthorization : Bearer ${key}\r\n\r\n`);
  said.push(raw.text);
  for (const { body } of answers) if (!body.status) said.push(JSON.stringify(body));
  said.push(JSON.stringify(answers.find(({ body }) => body.data?.['api_keys'])?.body));

  const metrics = (headers = {}) => fetch(`${service.origin}/metrics`, { headers });
  said.push(await (await metrics()).text());
  const page = await metrics({ authorization: `Bearer ${metricsToken}` });
  expect(page.status).toBe(200);
  said.push(await page.text());

  const statuses = new Set(answers.map(({ status }) => status));
  for (const status of [200, 400, 401, 402, 403, 404, 405, 409, 502, 504])
    expect(statuses, `${status}`).toContain(status);
  expect(service.log.length).toBeGreaterThan(answers.length);
  const ofCaller = [key, key.slice(11), authToken, rejected, unknownKey];
  for (const text of [...said, ...service.log])
    for (const secret of [...ofCaller, metricsToken, secretKey, 'proxypassword']) expect(text).not.toContain(secret);
});
