import { afterAll, describe, expect, test } from 'vitest';
import { actions, streams } from '../../../src/actions/registry.ts';
import { operations } from '../../../src/sandbox/operations/table.ts';
import { type ErrorReason, errorReasons } from '../../../src/shared/errors/reasons.ts';
import { errorTable } from '../../../src/shared/errors/table.ts';
import { Metrics } from '../../../src/shared/observability/metrics.ts';
import { Client } from '../../support/client.ts';
import { exchange } from '../../support/raw.ts';
import { startService, type TestService } from '../../support/service.ts';

const token = 'a-token-for-metrics-0123';

const [open, guarded] = await Promise.all([startService(), startService({ METRICS_TOKEN: token })]);
afterAll(() => Promise.all([open.stop(), guarded.stop()]));

const ask = (service: TestService, headers: Record<string, string> = {}) =>
  fetch(`${service.origin}/metrics`, { headers });

describe('/metrics without METRICS_TOKEN', () => {
  test('responds to this machine in the format of Prometheus, with metrics of the process', async () => {
    const client = new Client({ baseUrl: open.demo.baseUrl, key: open.demo.apiKey });
    await client.get('/account');
    await client.get(`/${'x'.repeat(50)}`);
    const response = await ask(open);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).toMatch(/^postern_http_requests_total\{action="account",outcome="2xx"\} 1$/m);
    expect(text).toMatch(/^postern_http_requests_total\{action="none",outcome="4xx"\} 1$/m);
    expect(text).not.toContain('xxx');
  });

  test.each([
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=203.0.113.9' },
    { 'x-forwarded-for': '' },
    { 'x-real-ip': '203.0.113.9' },
    { 'x-forwarded-proto': 'https' },
    { via: '1.1 proxy.example' },
  ])('refuses requests from a reverse proxy on this machine: %j', async (headers) => {
    const response = await ask(open, headers);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ status: false, error: expect.stringContaining('METRICS_TOKEN') });
  });
});

describe('/metrics and the Host header', () => {
  const scrape = (service: TestService, host: string, more = '') =>
    exchange(service.origin, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`);

  test.each(['evil.example', 'evil.example:4000', '169.254.169.254', '127.0.0.1.evil.example', ''])(
    'without a token a foreign one is refused: "%s"',
    async (host) => {
      const { answers } = await scrape(open, host);
      expect(answers[0]?.status).toBe(403);
      expect(answers[0]?.body).not.toContain('process_cpu');
    },
  );

  test.each(['localhost', 'localhost:4000', '127.0.0.1:4000', '[::1]:4000'])('"%s" is accepted', async (host) => {
    expect((await scrape(open, host)).text).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('with a token any host is accepted', async () => {
    const { text } = await scrape(guarded, 'gateway.example', `Authorization: Bearer ${token}\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('/metrics with METRICS_TOKEN', () => {
  test.each([
    {},
    { authorization: '' },
    { authorization: 'Bearer' },
    { authorization: `Basic ${token}` },
    { authorization: `Bearer ${token}x` },
    { authorization: `Bearer ${token.slice(1)}` },
  ])('refuses even this machine without it: %j', async (headers) => {
    const response = await ask(guarded, headers as Record<string, string>);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await response.text()).not.toContain(token);
  });

  test('does not accept an API key instead', async () => {
    expect((await ask(guarded, { authorization: `Bearer ${guarded.demo.apiKey}` })).status).toBe(401);
  });

  test('responds to any machine that sends the token', async () => {
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.9' };
    expect((await ask(guarded, headers)).status).toBe(200);
  });
});

const maxBytes = 180_000;

describe('the size of /metrics', () => {
  test('is bounded for all calls and outcomes', async () => {
    const metrics = new Metrics();
    const names = [...actions, ...streams].map(({ name }) => name);
    for (const action of [...names, 'graphql', 'none']) {
      for (let status = 100; status < 600; status += 100) metrics.requestEnded(action, status, 5);
      metrics.requestEnded(action, null, 5);
    }
    for (const { status } of Object.values(errorTable)) metrics.requestEnded('none', status, 5);
    for (const { id } of operations) {
      for (let status = 0; status <= 1_000; status++) metrics.platformRequestEnded(id, String(status), 5);
      for (const outcome of ['timeout', 'failed', 'proxy_failed']) metrics.platformRequestEnded(id, outcome, 5);
    }
    for (const reason of Object.keys(errorReasons)) metrics.requestEnded('none', 400, 5, reason as ErrorReason);
    const text = await metrics.registry.metrics();
    expect(Buffer.byteLength(text)).toBeLessThan(maxBytes);
  });

  test('holds no word of a caller, after calls of every kind', async () => {
    const marker = 'Caller7Wrote';
    const { baseUrl, apiKey, accounts, graphqlUrl } = open.demo;
    const origin = open.origin;
    const as = { authorization: `Bearer ${apiKey}`, 'x-auth-token': accounts[0].authToken };
    const json = { 'content-type': 'application/json' };
    for (const { path, method } of [...actions]) {
      const url = `${baseUrl}${path.replace(/\{\w+\}/, marker)}`;
      const body = method === 'GET' || method === 'DELETE' ? null : `{"text":"${marker}"}`;
      const send = (headers: Record<string, string>, query = '') => fetch(`${url}${query}`, { method, headers, body });
      const requests = [
        send({ authorization: `Bearer ${marker}` }),
        send({ ...as, ...json }),
        send({ ...as, 'content-type': marker, 'x-request-id': marker }, `?${marker}=${marker}`),
        fetch(url, { method: 'OPTIONS' }),
      ];
      await Promise.all(requests.map(async (request) => (await request).arrayBuffer()));
    }
    for (const status of [200, 404, 429, 500, 599]) {
      await open.addFault({ kind: 'status', status }, { times: 1 });
      await (await fetch(`${baseUrl}/user/info?userName=${marker}`, { headers: as })).arrayBuffer();
    }
    const query = `query ${marker}{${marker}:__typename account{name}}`;
    const body = JSON.stringify({ query, operationName: marker });
    await fetch(graphqlUrl, { method: 'POST', headers: { ...as, ...json }, body });
    await fetch(`${origin}/${marker}`, { method: 'PURGE' });
    const text = await (await ask(open)).text();
    expect(text).not.toContain(marker);
    expect(Buffer.byteLength(text)).toBeLessThan(maxBytes);
    const known = new Set<string>(['graphql', 'none', ...[...actions, ...streams].map(({ name }) => name)]);
    for (const [, action = ''] of text.matchAll(/action="([^"]*)"/g)) expect(known).toContain(action);
    for (const [, outcome] of text.matchAll(/http_[^{]*\{[^}]*outcome="([^"]*)"/g))
      expect(outcome).toMatch(/^([1-5]xx|other|hung_up|timeout|failed|proxy_failed|applied)$/);
  });
});
