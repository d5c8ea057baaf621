import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { readProxy } from '../../src/outbound/proxy.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { useService } from '../support/use-service.ts';
import { startForwardProxy } from './forward-proxy.ts';

const guard = new OutboundGuard({ runtime: systemRuntime });
const read = (text: string) => readProxy(new Secret(text), guard);

describe('a proxy', () => {
  test.each([
    ['http://proxy.example:8080', 'http://proxy.example:8080', 'proxy.example:8080', null],
    ['http://proxy.example', 'http://proxy.example', 'proxy.example:80', null],
    ['https://proxy.example/', 'https://proxy.example', 'proxy.example:443', null],
    ['HTTPS://Proxy.Example:8443', 'https://proxy.example:8443', 'proxy.example:8443', null],
    ['http://user:pass@proxy.example:3128', 'http://proxy.example:3128', 'proxy.example:3128', 'user:pass'],
    ['http://user@proxy.example:3128', 'http://proxy.example:3128', 'proxy.example:3128', 'user:'],
    ['http://:pass@proxy.example:3128', 'http://proxy.example:3128', 'proxy.example:3128', ':pass'],
    ['http://us%40er:p%3Aa%2Fs:s@proxy.example:1', 'http://proxy.example:1', 'proxy.example:1', 'us@er:p:a/s:s'],
    ['http://user:p@ss@proxy.example:1', 'http://proxy.example:1', 'proxy.example:1', 'user:p@ss'],
    ['http://user:%C3%A4@8.8.8.8:1', 'http://8.8.8.8:1', '8.8.8.8:1', 'user:ä'],
    ['http://[2606:4700::1111]:1', 'http://[2606:4700::1111]:1', '[2606:4700::1111]:1', null],
    ['http://bücher.example:1', 'http://xn--bcher-kva.example:1', 'xn--bcher-kva.example:1', null],
  ])('is read: %s', (text, origin, name, credentials) => {
    const proxy = read(text);
    expect(proxy).toMatchObject({ origin, name });
    const basic = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    expect(proxy.authorization?.expose() ?? null).toBe(basic);
  });

  test('can have a name of Latin-1 characters, also after V8 has optimised the call', () => {
    for (let i = 0; i < 10_000; i++) read('http://bücher.example:1');
  });

  test('cannot be printed with its credentials', () => {
    const proxy = read('http://user:hunter2@proxy.example:3128');
    const basic = Buffer.from('user:hunter2').toString('base64');
    for (const shown of [inspect(proxy, { depth: 9, showHidden: true }), JSON.stringify(proxy), String(proxy)]) {
      expect(shown).not.toContain('hunter2');
      expect(shown).not.toContain(basic);
    }
  });
});

const hint = 'give http:// or https://, as http://user:password@host:port';
const end = `must end after the port, and / ? # in a user name or password must be percent-encoded; ${hint}`;
const malformed: [string, string][] = [
  ['', `must be a URL with http:// or https://; ${hint}`],
  ['socks5://user:hunter2@proxy.example:1080', `SOCKS proxies are not supported; ${hint}`],
  ['socks4://proxy.example', `SOCKS proxies are not supported; ${hint}`],
  ['SOCKS5H://proxy.example', `SOCKS proxies are not supported; ${hint}`],
  ['socks://proxy.example', `SOCKS proxies are not supported; ${hint}`],
  ['ftp://user:hunter2@proxy.example', `must be a URL with http:// or https://; ${hint}`],
  ['ws://proxy.example', `must be a URL with http:// or https://; ${hint}`],
  ['file:///etc/passwd', `must be a URL with http:// or https://; ${hint}`],
  ['javascript:alert(1)', `must be a URL with http:// or https://; ${hint}`],
  ['proxy.example:8080', `must be a URL with http:// or https://; ${hint}`],
  ['user:hunter2@proxy.example:8080', `must be a URL with http:// or https://; ${hint}`],
  ['//proxy.example:8080', `must be a URL with http:// or https://; ${hint}`],
  ['http:proxy.example', `must be a URL with http:// or https://; ${hint}`],
  ['http:///proxy.example', `must be a URL with http:// or https://; ${hint}`],
  ['nonsense', `must be a URL with http:// or https://; ${hint}`],
  ['http://', `must be a URL with http:// or https://; ${hint}`],
  ['http://user:hunter2@', `is not a URL: its host or port is malformed; ${hint}`],
  ['http://user:hunter2@:8080', `is not a URL: its host or port is malformed; ${hint}`],
  ['http://user:hunter2@proxy.example:port', `is not a URL: its host or port is malformed; ${hint}`],
  ['http://user:hunter2@proxy.example:99999', `is not a URL: its host or port is malformed; ${hint}`],
  ['http://user:hunter2@proxy.example:0', `must not use port 0; ${hint}`],
  ['http://user:hunter2@pro xy.example', `must not contain spaces, control characters or backslashes; ${hint}`],
  ['http://user:hunter2\\@proxy.example', `must not contain spaces, control characters or backslashes; ${hint}`],
  ['http://user:hunter2@proxy.example/path', end],
  ['http://user:hunter2@proxy.example?', end],
  ['http://user:80/hunter2@proxy.example', end],
  ['http://user:hunter2%@proxy.example', `must have a % in a user name or password percent-encoded; ${hint}`],
  ['http://us%3Aer:hunter2@proxy.example', `must not have a colon in the user name; ${hint}`],
  ['http://user:hunter2%0d%0a@proxy.example', `must not have control characters in a user name or password; ${hint}`],
  [`http://user:${'hunter2'.repeat(300)}@proxy.example`, `must be at most 2048 characters; ${hint}`],
  ['http://user:hunter2@10.0.0.1:8080', 'must not lead to a private address'],
  ['http://user:hunter2@169.254.169.254', 'must not lead to a cloud metadata address'],
  ['http://user:hunter2@localhost:8080', 'must not lead to an address that is not public'],
  ['http://user:hunter2@0x7f.1:8080', 'must not lead to a loopback address'],
  ['https://user:hunter2@[::1]:8080', 'must not lead to a loopback address'],
  ['https://user:hunter2@[::ffff:127.0.0.1]:8080', 'must not lead to a loopback address'],
];

describe('an invalid proxy', async () => {
  const proxy = await startForwardProxy();
  const { service, sandbox, ada } = await useService(
    { LOG_LEVEL: 'trace' },
    { resolve: async (name) => (name === 'inside.example' ? [{ address: '127.0.0.1' }] : []) },
  );
  afterAll(async () => {
    for (const each of ['getUsersByUsername', 'createPosts']) expect(await sandbox.requests(each)).toBe(0);
    expect(proxy.heard()).toBe('');
    expect(service.log.join('\n')).not.toContain('hunter2');
    expect(await restingBalance(ada)).toBe('1');
  });

  test.each(malformed)('is refused with 400 and the accepted form, without a charge: %j', async (text, reason) => {
    const error = `Malformed field: proxy: ${reason}`;
    expectRefusal(await ada.get('/user/info', { userName: 'ada', proxy: text }), 400, error);
    expectRefusal(await ada.post('/tweet/create', { text: 'x', proxy: text }), 400, error);
    expectRefusal(await ada.post('/tweet/create', { text: 'x' }, { 'x-proxy': text }), 400, error);
    // The input is checked before the credit, so the status is 400 and not 402.
    const { key } = await service.makeAccount('0.0005');
    expectRefusal(await ada.with({ key }).get('/user/info', { userName: 'ada', proxy: text }), 400, error);
  });

  test.each([[1], [true], [['http://proxy.example']], [{ url: 'http://proxy.example' }]])(
    'is refused with 400: %j',
    async (value) => {
      const error = 'Malformed field: proxy: must be a string';
      expectRefusal(await ada.post('/tweet/create', { text: 'x', proxy: value }), 400, error);
    },
  );

  test('is refused with 400 if it is given twice', async () => {
    const twice = '/user/info?userName=ada&proxy=http%3A%2F%2Fa.example&proxy=http%3A%2F%2Fa.example';
    expectRefusal(await ada.send('GET', twice), 400, 'Malformed field: proxy: given more than once');
    const { key = '', authToken = '' } = ada.options;
    const headers = new Headers({ authorization: `Bearer ${key}`, 'x-auth-token': authToken });
    headers.append('x-proxy', 'http://user:hunter2@a.example');
    headers.append('x-proxy', 'http://user:hunter2@b.example');
    const response = await fetch(`${service.demo.baseUrl}/user/info?userName=ada`, { headers });
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain('hunter2');
  });

  test('is refused with 400 if it is this machine, by address or by name, and OUTBOUND_ALLOW does not allow it', async () => {
    const byAddress = await ada.get('/user/info', { userName: 'ada', proxy: proxy.url });
    expectRefusal(byAddress, 400, 'Malformed field: proxy: must not lead to a loopback address');
    const byName = await ada.get('/user/info', {
      userName: 'ada',
      proxy: proxy.url.replace('127.0.0.1', 'inside.example'),
    });
    expectRefusal(byName, 400, 'Malformed field: proxy: must not lead to an address that is not public');
  });

  test('is refused with 502 if its name does not resolve', async () => {
    const answer = await ada.post('/tweet/create', { text: 'x', proxy: 'http://user:hunter2@nowhere.example:3128' });
    expectRefusal(answer, 502, 'The proxy nowhere.example:3128 cannot be reached: its name does not resolve');
  });
});
