import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange } from '../../support/raw.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

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

async function withHost(path: string, host: string) {
  const { answers } = await exchange(service.origin, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  return answers[0];
}

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
    for (const [, path] of text.matchAll(/(?:src|href)="(\/[^"]+\.(?:css|js))"/g)) {
      expect((await fetch(service.origin + path)).status).toBe(200);
    }
  });

  test('shows a first call whose address and headers work as they stand', async () => {
    const [first = ''] = await commands();
    const url = /'(http[^']+)'/.exec(first)?.[1] ?? '';
    const headers = [...first.matchAll(/-H '([^:']+): ([^']+)'/g)].map(
      ([, name = '', value = '']): [string, string] => [name, value],
    );
    const response = await fetch(url, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-credits-charged')).toBe('0.001');
    expect(await response.json()).toMatchObject({ status: true, data: { tweet_count: 3 } });
  });

  test('shows calls that all work when pasted into a shell, the same ones twice', async () => {
    const all = await commands();
    expect(all.length).toBeGreaterThanOrEqual(3);
    for (const command of all) {
      const { stdout } = await promisify(execFile)('sh', ['-c', command]);
      const body = JSON.parse(stdout.slice(stdout.indexOf('{')));
      expect(body.status === true || body.errors === undefined, stdout).toBe(true);
      expect(body.data, stdout).toBeTruthy();
    }
  });

  test('answers to the names of loopback alone, since it shows credentials', async () => {
    const { port } = new URL(service.origin);
    for (const host of [`localhost:${port}`, 'LOCALHOST', `127.0.0.1:${port}`, `[::1]:${port}`]) {
      expect((await withHost('/', host))?.status, host).toBe(200);
    }
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '10.0.0.1',
      'x',
    ]) {
      const answer = await withHost('/', host);
      expect(answer?.status, host).toBe(403);
      expect(JSON.parse(answer?.body ?? '')).toEqual({ status: false, data: null, error: expect.any(String) });
      expect(answer?.body).not.toContain(service.demo.apiKey);
    }
  });
});

describe('health', () => {
  test.each(['/healthz', '/readyz'])('%s needs no key, and is an Envelope under any name', async (path) => {
    const answer = await withHost(path, 'balancer.example');
    expect(answer?.status).toBe(200);
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ status: true, error: null });
  });

  test('HEAD is answered, for balancers that ask so', async () => {
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
