import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import results from '../../../src/api/demo/example-results.json' with { type: 'json' };
import { demoAccess, type ExampleRequest, examplesFor } from '../../../src/api/demo/examples.ts';
import { getFromHost } from '../../support/raw.ts';
import { useUnreachablePlatform } from '../../support/unreachable-platform.ts';
import { useService } from '../../support/use-service.ts';

const { service } = await useService();
const other = await useUnreachablePlatform();

const forGood = 'public, max-age=31536000, immutable';
const page = () => fetch(`${service.origin}/`);
const plain = (html: string) =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
const commands = async () =>
  [...(await (await page()).text()).matchAll(/<code>(curl .*?)<\/code>/gs)].map(([, code = '']) => plain(code));

const withHost = (path: string, host: string) => getFromHost(service.origin, path, host);

describe('the home page', () => {
  test('is HTML that loads nothing from elsewhere and is not stored', async () => {
    const response = await page();
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html; charset=utf-8/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('x-request-id')).not.toBeNull();
    expect(text).toMatch(/^<!doctype html>/i);
    for (const [, address = ''] of text.matchAll(/(?:src|href)="([^"]*)"/g)) {
      if (!address.startsWith('/')) expect(address).toMatch(/^(data:|#|http:\/\/127\.0\.0\.1)/);
    }
    const files = [...text.matchAll(/(?:src|href)="(\/[^"]+\.(?:css|js)[^"]*)"/g)].map(([, path]) => path);
    expect(files).toHaveLength(2);
    for (const path of files) {
      const file = await fetch(service.origin + path);
      expect([path, file.status, file.headers.get('cache-control')]).toEqual([path, 200, forGood]);
      // The hash in the URL belongs to another version.
      const other = await fetch(service.origin + path?.replace(/v=.*/, 'v=other'));
      expect([other.status, other.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    }
  });

  test('and /docs name the platform that the gateway is connected to', async () => {
    const host = new URL(service.demo.sandboxUrl).host;
    const read = async (path: string) => plain(await (await fetch(service.origin + path)).text());
    expect(await read('/docs')).toContain(`Connected to the platform <code>sandbox</code> at <code>${host}</code>.`);
    expect(await read('/')).toContain(`<dd>sandbox <span class="soft">${host}</span></dd>`);
    expect(await read('/')).toContain('<dd>SQLite</dd>');
  });

  test('is compressed', async () => {
    const response = await fetch(`${service.origin}/`, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(await response.text()).toBe(await (await page()).text());
  });

  test('shows a first call whose address and headers work as they stand', async () => {
    const [first = ''] = await commands();
    const url = /'(http[^']+)'/.exec(first)?.[1] ?? '';
    const headers = new Headers();
    for (const [, name = '', value = ''] of first.matchAll(/-H "([^:]+): ([^"]+)"/g)) headers.set(name, value);
    const response = await fetch(url, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-credits-charged')).toBe('0.001');
    expect(await response.json()).toMatchObject({ status: true, data: { tweet_count: 2 } });
  });

  test('shows calls that all work when pasted into a shell, and twice', async () => {
    const all = await commands();
    expect(all).toHaveLength(3);
    const run = async (command = '') => (await promisify(execFile)('sh', ['-c', command])).stdout;
    for (const command of all.slice(0, 2)) {
      for (let times = 0; times < 2; times++) {
        const stdout = await run(command);
        const body = JSON.parse(stdout.slice(stdout.indexOf('{')));
        expect(body.status === true || body.errors === undefined, stdout).toBe(true);
        expect(body.data, stdout).toBeTruthy();
      }
    }
    const watched = await run(all[2]);
    expect(watched).toMatch(/^event: tweet\.mention\ndata: .*Hello @grace/m);
  });

  test('shows results with the fields of those that the calls return', async () => {
    const fields = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.slice(0, 1).map(fields);
      if (typeof value !== 'object' || value === null) return null;
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fields(inner)]));
    };
    const [search, graphql] = examplesFor(demoAccess(service.demo));
    for (const { name, requests } of [search, graphql]) {
      const { url, authToken, body } = requests[0] as ExampleRequest;
      const headers = { authorization: `Bearer ${service.demo.apiKey}`, 'x-auth-token': authToken };
      const json = { ...headers, 'content-type': 'application/json' };
      const write = { method: 'POST', headers: json, body: JSON.stringify(body) };
      const { data } = (await (await fetch(url, body ? write : { headers })).json()) as { data: object };
      expect(fields(JSON.parse(results[name]).data)).toEqual(fields(data));
    }
  });

  test('is served for loopback host names only, because it shows credentials', async () => {
    const { port } = new URL(service.origin);
    for (const host of [`localhost:${port}`, 'LOCALHOST', `127.0.0.1:${port}`, `[::1]:${port}`]) {
      expect((await withHost('/', host))?.status, host).toBe(200);
    }
    const foreign = ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'localhost.evil.example'];
    for (const host of [...foreign, '10.0.0.1', 'x']) {
      const answer = await withHost('/', host);
      expect(answer?.status, host).toBe(403);
      expect(JSON.parse(answer?.body ?? '')).toEqual({ status: false, data: null, error: expect.any(String) });
      expect(answer?.body).not.toContain(service.demo.apiKey);
    }
  });
});

describe('without demo credentials', () => {
  const read = async (path: string, host: string) => {
    const answer = await getFromHost(other.origin, path, host);
    return { status: answer?.status, text: plain(answer?.body ?? '') };
  };

  test('the home page asks for a key and a token, under any name', async () => {
    const { status, text } = await read('/', 'gateway.example');
    expect(status).toBe(200);
    expect(text).toContain(`<dd>atproto <span class="soft">${other.platformHost}</span></dd>`);
    expect(text).toContain('<label>API key <input name="key" type="password"');
    expect(text).toContain('<label>Connection <input name="actor" type="password"');
    const calls = [...text.matchAll(/<code>(curl .*?)<\/code>/gs)].map(([, call = '']) => call);
    expect(calls).toHaveLength(3);
    for (const call of calls) {
      expect(call).toContain(`'${other.origin}/`);
      expect(call).toContain('-H "Authorization: Bearer $POSTERN_KEY"');
      expect(call).toContain('-H "x-auth-token: $CONNECTION"');
    }
    expect(text).toContain('data-key=""');
    expect(text).not.toContain('<b>Sandbox</b>');
  });

  test('the reference is served under any name, and contains no credentials', async () => {
    const { status, text } = await read('/docs', 'gateway.example');
    expect(status).toBe(200);
    expect(text).toContain('data-api-key="" data-actor="" data-encryption-code=""');
  });

  test('the home page and the state of the service are there while the platform cannot be reached', async () => {
    expect((await read('/', 'localhost')).status).toBe(200);
    expect(await read('/readyz', 'localhost')).toEqual({
      status: 503,
      text: expect.stringContaining('Not ready: store ok, platform unreachable'),
    });
  });
});

describe('health', () => {
  test.each(['/healthz', '/readyz'])('%s needs no key, and is an Envelope under any name', async (path) => {
    const answer = await withHost(path, 'balancer.example');
    expect(answer?.status).toBe(200);
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ status: true, error: null });
  });

  test('HEAD is accepted, for load balancers', async () => {
    expect((await fetch(`${service.origin}/healthz`, { method: 'HEAD' })).status).toBe(200);
  });

  test.each(['/', '/healthz', '/readyz', '/metrics'])('%s refuses other methods with 405', async (path) => {
    for (const method of ['POST', 'DELETE', 'OPTIONS']) {
      const response = await fetch(service.origin + path, { method });
      expect(response.status, method).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD');
      expect(await response.json()).toEqual({ status: false, data: null, error: expect.any(String) });
    }
  });
});

describe('an error', () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const visit = (path: string, accept = browser) => fetch(service.origin + path, { headers: { accept } });

  test.each(['/nothing', '/docs/nothing', '/%zz', '/v1'])('of %s is a page for browsers', async (path) => {
    const response = await visit(path);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('vary')).toBe('accept');
    const code = response.headers.get('x-error-code');
    const text = await response.text();
    expect(text).toContain(`<a href="/docs/errors#${code}">`);
    expect(text).toContain(`<code>${response.headers.get('x-request-id')}</code>`);
    const asJson = await visit(path, 'application/json');
    expect([asJson.status, asJson.headers.get('x-error-code')]).toEqual([response.status, code]);
    expect(await asJson.json()).toMatchObject({ status: false, data: null });
  });

  test.each(['*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/html;q=0.5, application/json'])(
    'is an Envelope for a program that accepts %s',
    async (accept) => {
      const response = await visit('/nothing', accept);
      expect([response.status, await response.json()]).toMatchObject([404, { status: false, data: null }]);
    },
  );

  test.each(['/v1/nothing', '/v1/tweet/detail', '/graphql?query={viewer{name}}'])(
    'of %s is JSON for everybody, as the contract says',
    async (path) => {
      const response = await visit(path);
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(response.headers.get('content-type')).toMatch(/json/);
    },
  );

  test('of another method than GET is an Envelope', async () => {
    const response = await fetch(`${service.origin}/nothing`, { method: 'POST', headers: { accept: browser } });
    expect([response.status, await response.json()]).toMatchObject([404, { status: false }]);
  });
});
