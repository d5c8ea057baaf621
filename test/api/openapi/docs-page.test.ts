import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { errorCodes } from '../../../src/shared/errors/table.ts';
import { getFromHost } from '../../support/raw.ts';
import { startService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';
import { contract } from './contract.ts';

const { service } = await useService();

const statusFor = async (path: string, host: string) => (await getFromHost(service.origin, path, host))?.status;

describe('/openapi.json', () => {
  test('is the checked-in description with the address of this service, and needs no key', async () => {
    const response = await fetch(`${service.origin}/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const document = (await response.json()) as { servers: { url: string }[] };
    expect(document.servers.map(({ url }) => url)).toEqual([service.demo.baseUrl]);
    expect({ ...document, servers: [] }).toEqual({ ...contract, servers: [] });
  });

  test('answers to any name: it holds no credentials', async () => {
    expect(await statusFor('/openapi.json', 'postern.example')).toBe(200);
    const text = JSON.stringify(contract);
    expect(text).not.toContain(service.demo.apiKey);
    for (const { authToken } of service.demo.accounts) expect(text).not.toContain(authToken);
  });
});

describe('/docs', () => {
  test('is made of files of this origin alone', async () => {
    const response = await fetch(`${service.origin}/docs`);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/https?:|unsafe-eval/);
    const page = await response.text();
    const files = [...page.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, file]) => file ?? '');
    expect(files).toContainEqual(expect.stringMatching(/^\/docs\/viewer\.js\?v=[\w-]+$/));
    for (const file of files) {
      expect((await fetch(service.origin + file)).status, file).toBe(200);
    }
  });

  test('shows demo credentials, so it answers to loopback names only', async () => {
    expect(await statusFor('/docs', 'localhost')).toBe(200);
    expect(await statusFor('/docs', 'postern.example')).toBe(403);
  });

  test.each(['/docs', '/docs/viewer.js', '/docs/errors', '/openapi.json', '/events.json', '/asyncapi.yaml'])(
    '%s is only read',
    async (path) => {
      const response = await fetch(service.origin + path, { method: 'POST' });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD');
    },
  );
});

describe.each([
  '/openapi.json',
  '/events.json',
  '/asyncapi.yaml',
  '/docs/viewer.js',
  '/docs/docs.css',
  '/docs/docs.js',
  '/docs/errors',
])('%s', (path) => {
  const load = (headers: Record<string, string>) => fetch(service.origin + path, { headers });

  test('is compressed for clients that accept it', async () => {
    const plain = await load({ 'accept-encoding': 'identity' });
    const compressed = await load({ 'accept-encoding': 'gzip, br' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(compressed.headers.get('content-encoding')).toBe('br');
    expect((await load({ 'accept-encoding': 'gzip' })).headers.get('content-encoding')).toBe('gzip');
    expect(compressed.headers.get('vary')).toBe('accept-encoding');
    const [size, text] = [Number(compressed.headers.get('content-length')), await plain.text()];
    expect(size).toBeLessThan(0.6 * text.length);
    expect(await compressed.text()).toBe(text);
  });

  test('is not sent again to a client that has it', async () => {
    for (const encoding of ['identity', 'gzip', 'br']) {
      const headers = { 'accept-encoding': encoding };
      const etag = (await load(headers)).headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]{22}"$/);
      // Without this header, fetch would send `Cache-Control: no-cache`.
      const known = { ...headers, 'cache-control': 'max-age=0', 'if-none-match': etag };
      const again = await load(known);
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect((await load({ ...known, 'if-none-match': '"another"' })).status).toBe(200);
    }
  });
});

test('the page of error codes has a section for each code, which the description links to', async () => {
  const page = await (await fetch(`${service.origin}/docs/errors`)).text();
  const reference = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const described = JSON.stringify(contract.components.responses);
  for (const code of errorCodes) {
    expect(page).toContain(`id="${code}"`);
    expect(reference).toContain(`\n## ${code}\n`);
    const [, text = ''] = reference.split(`\n## ${code}\n`);
    expect(text).toMatch(/^\n\d{3}, GraphQL `[A-Z_]+`\. Retry: .+\. .{10,}\n\n.{10,}\n/);
  }
  for (const [, code] of described.matchAll(/\/docs\/errors#(\w+)/g)) expect(errorCodes).toContain(code);
});

test.each([
  ['a public address', { PUBLIC_URL: 'https://postern.example/gate/' }, 'https://postern.example/gate/v1'],
  ['an address that others reach, unknown to it', { HOST: '0.0.0.0', SANDBOX_PUBLIC: '1' }, '/v1'],
])('a service with %s says so', async (_name, settings, url) => {
  const other = await startService(settings);
  onTestFinished(() => other.stop());
  const response = await fetch(`${other.origin}/openapi.json`);
  expect(((await response.json()) as { servers: object[] }).servers).toMatchObject([{ url }]);
});
