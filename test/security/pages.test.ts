import { describe, expect, test } from 'vitest';
import { exchange } from '../support/raw.ts';
import { useService } from '../support/use-service.ts';

const { service, ada } = await useService();

/** Sends a path unchanged. `fetch` would normalize it. */
async function get(path: string) {
  const headers = `Host: ${new URL(service.origin).host}\r\nAuthorization: Bearer ${ada.options.key}`;
  const { answers } = await exchange(service.origin, `GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
  return answers[0];
}

describe('a path that a cache or a proxy could take for another one', () => {
  test.each([
    ...['/x.css', ';x.css', '.css', '%2fx.css', '%00.css', '%0a.css', '%3fx.css', '/'].map(
      (end) => `/v1/account/balance${end}`,
    ),
    ...['/v1//account/balance', '//v1/account/balance', '/V1/account/balance'],
    ...['/v1/account/./balance', '/v1/x/../account/balance'],
    ...['/%76%31/account/balance', '/v1/%61ccount/balance', '/v1/account%2fbalance', '/v1\\account\\balance'],
    ...['/console/../v1/account/balance', '/console/files/..%2f..%2fv1/account/balance', '/v1/account/balance#.css/x'],
  ])('has no data of the account unless it is exactly the path, and is never stored: %s', async (path) => {
    const answer = await get(path);
    expect(answer?.headers.get('cache-control'), answer?.body).toMatch(/no-store/);
    // All paths below /console are the same page.
    const isPage = answer?.headers.get('content-type')?.startsWith('text/html') === true;
    if (answer?.status === 200 && !isPage) expect(path).toBe('/v1/account/balance#.css/x');
    else expect(answer?.body).not.toContain('"held"');
  });

  test.each([
    '..%2f..%2fpackage.json',
    '%2e%2e/%2e%2e/package.json',
    '../../package.json',
    '..%5c..%5cpackage.json',
    '%00',
    '__proto__',
  ])('leads to no other file below /console/files: %s', async (name) => {
    const answer = await get(`/console/files/${name}`);
    expect(answer?.body).not.toContain('"dependencies"');
    expect(answer?.headers.get('content-type')).not.toMatch(/javascript|css/);
  });
});

describe('a page', () => {
  test.each(['/', '/docs', '/docs/errors', '/console', '/console/explore/user/%3Cscript%3E', '/graphql', '/nothing'])(
    'runs only scripts of this origin, cannot be framed, and is not stored: %s',
    async (path) => {
      const response = await fetch(service.origin + path, { headers: { accept: 'text/html' } });
      const text = await response.text();
      expect(response.headers.get('content-type')).toMatch(/^text\/html/);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/frame-ancestors 'none'/);
      expect(policy).toMatch(/default-src 'none'|default-src 'self'/);
      const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? '';
      expect(scripts).not.toMatch(/unsafe-inline|\*|https?:|data:|blob:/);
      expect(response.headers.get('cache-control')).toMatch(/no-store|no-cache/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>[^<]/);
      expect(text).not.toMatch(/\son\w+="/);
      expect(text).not.toContain('<script>');
    },
  );
});
