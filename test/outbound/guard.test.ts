import { describe, expect, test } from 'vitest';
import { canonicalHost, parseAddress, parseBlock } from '../../src/outbound/address.ts';
import { AddressRefusedError, NameNotFoundError } from '../../src/outbound/errors.ts';
import { type GuardOptions, OutboundGuard } from '../../src/outbound/guard.ts';
import { ipv4SpecialRanges, ipv6SpecialRanges } from '../../src/outbound/special-ranges.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { manualRuntime } from '../store/manual-runtime.ts';

function guardOf(options: Partial<GuardOptions> = {}) {
  const resolve = async () => {
    throw new Error('no name may be looked up here');
  };
  return new OutboundGuard({ runtime: systemRuntime, resolve, ...options });
}

const guard = guardOf();
const rules = { field: 'url', schemes: ['http', 'https'] };
const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);
const withNames = (names: Record<string, string[]>, allow: string[] = []) =>
  guardOf({ allow, resolve: async (name) => (names[name] ?? []).map((address) => ({ address })) });

describe('an address that is no public one is refused, however it is spelled', () => {
  test.each([
    // Spellings of 127.0.0.1 and of this host that the WHATWG URL standard parses as IPv4.
    ['127.0.0.1', '127.1', '127.0.1', '127.0.0.1.', '127.255.255.255', '2130706433', '0x7f000001', '0x7f.1'],
    ['0X7F.0.0.1', '0177.0.0.1', '017700000001', '１２７.０.０.１', '127。0。0。1', '①②⑦.⓪.⓪.①', '%31%32%37.0.0.1'],
    ['0', '0.0.0.0', '0x0', '0.255.255.255'],
    // Spellings of IPv6 addresses.
    ['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[::127.0.0.1]', '[::8.8.8.8]'],
    ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:0:127.0.0.1]', '[::ffff:169.254.169.254]'],
    ['[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]', '[64:ff9b:1::1]', '[64:ff9b:1:ffff::]'],
    ['[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:808:808::1]'],
    ['[2001::1]', '[2001:0:7f00:1::]', '[2001:0:4136:e378:8000:63bf:80ff:fffe]'],
    ['[2001:2::1]', '[2001:10::1]', '[2001:20::1]', '[2001:db8::1]', '[3fff::1]', '[2620:4f:8000::1]', '[5f00::1]'],
    ['[100::1]', '[fc00::1]', '[fd12:3456::1]', '[fd00:ec2::254]', '[fd20:ce::254]'],
    ['[fe80::1]', '[febf:ffff::1]', '[fec0::1]', '[ff02::1]', '[ff0e::1]'],
    ['[2600:1f18::5efe:127.0.0.1]', '[2600:1f18::200:5efe:10.0.0.1]', '[4000::1]', '[1fff:ffff::1]'],
    // Other blocks of the registry of special-purpose addresses.
    ['10.0.0.1', '100.64.0.1', '100.100.100.200', '168.63.129.16', '169.254.0.1', '169.254.169.254'],
    ['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.0.192', '192.0.2.1', '192.31.196.1', '192.52.193.1'],
    ['192.88.99.1', '192.168.0.1', '192.175.48.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1'],
    ['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.254', '255.255.255.255'],
  ])('%s …', async (...hosts) => {
    for (const host of hosts) {
      const refused = /^Malformed field: url: must not lead to a .+ address$/;
      expect(() => guard.checkUrl(`http://${host}/`, rules), host).toThrow(refused);
      expect(() => guard.checkUrl(`https://${host}:8443/x?y`, rules), host).toThrow(refused);
      await expect(guard.resolve(new URL(`http://${host}/`).hostname, 'account')).rejects.toThrow(AddressRefusedError);
    }
  });

  test.each([...ipv4SpecialRanges, ...ipv6SpecialRanges])('%s (%s): its first and its last address', async (cidr) => {
    const [network, bits] = parseBlock(cidr);
    const last = network.toByteArray().map((byte, i) => byte | (0xff >> Math.min(8, Math.max(0, bits - 8 * i))));
    for (const bytes of [network.toByteArray(), last]) {
      await expect(guard.resolve(bracketed(textOf(bytes)), 'account')).rejects.toThrow(AddressRefusedError);
    }
  });

  test.each([
    '[fe80::1%25lo]',
    '[fe80::1%lo]',
    '[::1',
    '::1',
    '1.2.3.4.5',
    '256.256.256.256',
    '0x7f.1.2.3.4',
    '%00',
    '',
  ])('what is no host at all is no URL: %j', (host) =>
    expect(() => guard.checkUrl(`http://${host}/`, rules)).toThrow(/^Malformed field: url: /),
  );

  test('spellings are read even where no URL parser was before', async () => {
    for (const host of [
      '127.1',
      '0x7f.1',
      '2130706433',
      '::1',
      '[::1]',
      '::ffff:127.0.0.1',
      'fe80::1%lo',
      '１２７.1',
    ]) {
      await expect(guard.resolve(host, 'account')).rejects.toThrow(AddressRefusedError);
    }
    expect(canonicalHost('0x7f.1')).toBe('127.0.0.1');
  });
});

describe('a public address passes', () => {
  test.each([
    ['1.0.0.0', '9.255.255.255', '11.0.0.0'],
    ['100.63.255.255', '100.128.0.0'],
    ['126.255.255.255', '128.0.0.0'],
    ['168.63.129.15', '168.63.129.17'],
    ['169.253.255.255', '169.255.0.0'],
    ['172.15.255.255', '172.32.0.0'],
    ['191.255.255.255', '192.0.1.0', '192.0.1.255', '192.0.3.0'],
    ['192.31.195.255', '192.31.197.0', '192.52.192.255', '192.52.194.0'],
    ['192.88.98.255', '192.88.100.0'],
    ['192.167.255.255', '192.169.0.0'],
    ['192.175.47.255', '192.175.49.0'],
    ['198.17.255.255', '198.20.0.0'],
    ['198.51.99.255', '198.51.101.0'],
    ['203.0.112.255', '203.0.114.0'],
    ['223.255.255.255', '8.8.8.8', '93.184.215.14'],
    ['2000::', '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
    ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
    ['2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
    ['2620:4f:7fff:ffff:ffff:ffff:ffff:ffff', '2620:4f:8001::'],
    ['3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2606:4700::1111', '2600:1f18::5efe:8.8.8.8', '2600:1f18::1:5efe:7f00:1'],
    ['64:ff9b::808:808', '::ffff:8.8.8.8'],
  ])('just outside a range, or far from all: %s …', async (...hosts) => {
    for (const host of hosts) {
      const url = guard.checkUrl(`https://${bracketed(host)}/`, rules);
      const [{ address, family }] = await guard.resolve(url.hostname, 'account');
      expect(address).toBe(parseAddress(host)?.toString());
      expect(family).toBe(address.includes(':') ? 6 : 4);
    }
  });

  test('a mapped one is pinned as the IPv4 address that the kernel would connect to', async () => {
    expect(await guard.resolve('[::ffff:8.8.8.8]', 'account')).toEqual([{ address: '8.8.8.8', family: 4 }]);
  });
});

describe('the form of a URL', () => {
  test.each([
    // Credentials, and characters that parsers read in different ways.
    ['http://user@example.com/', 'http://user:hunter2@example.com/', 'http://@example.com/', 'http://:@example.com/'],
    ['http://example.com@127.0.0.1/', 'http://127.0.0.1#@example.com/', 'http://127.0.0.1%23@example.com/'],
    ['http://example.com\\@127.0.0.1/', 'http://127.0.0.1\\@example.com/', 'http:\\\\example.com'],
    // Incomplete URLs.
    ['http:/example.com', 'http:example.com', 'http:///example.com', 'http:////127.0.0.1', '//example.com'],
    ['example.com', '/etc/passwd', 'http://', 'http://?x', '', 'null'],
    // Ports, blanks, control characters and long names.
    ['http://:80', 'http://example.com:0/', 'http://example.com:65536/', 'http://example.com:port/'],
    ['http://exa mple.com/', ' http://example.com/', 'http://example.com/\n', 'http://exam\tple.com/'],
    ['http://example.com\r\nHost: x/', 'http://example.com/\u0000', 'http://example.com/\u00a0'],
    [`http://${'a'.repeat(256)}.example/`],
    // Other schemes.
    ['ftp://example.com/', 'file:///etc/passwd', 'gopher://example.com/', 'javascript://example.com/'],
    ['data:text/plain,x', 'ws://example.com/', 'socks5://example.com/'],
  ])('is refused in words that name the field: %j …', (...texts) => {
    const message = expect.stringMatching(/^Malformed field: url: (must|is) /);
    for (const text of texts) {
      const error = caught(() => guard.checkUrl(text, rules));
      expect(error, text).toMatchObject({ code: 'bad_input', message });
      expect(String(error)).not.toContain('hunter2');
    }
  });

  test('is read as the URL standard reads it, and only with the schemes that are wanted', () => {
    expect(guard.checkUrl('HTTPS://Example.COM:443/a b'.replace(' ', '%20'), rules).href).toBe(
      'https://example.com/a%20b',
    );
    expect(guard.checkUrl('http://example.com/@x?y=@', rules).hostname).toBe('example.com');
    expect(() => guard.checkUrl('http://example.com/', { field: 'url', schemes: ['https'] })).toThrow(
      'Malformed field: url: must be a URL with https://',
    );
  });
});

describe('a name', () => {
  test('passes with public addresses, which are pinned with alternating families', async () => {
    const [ipv4, ipv6] = [['93.184.215.14', '93.184.215.15', '93.184.215.16'], ['2606:4700::1111']];
    const named = withNames({ 'a.example': [...ipv4, ...ipv6], 'b.example': [...ipv6, ...ipv4] });
    const addressesOf = async (name: string) => (await named.resolve(name, 'account')).map(({ address }) => address);
    expect(await addressesOf('a.example')).toEqual([ipv4[0], ipv6[0], ipv4[1], ipv4[2]]);
    expect(await addressesOf('A.EXAMPLE')).toEqual([ipv4[0], ipv6[0], ipv4[1], ipv4[2]]);
    expect(await addressesOf('b.example')).toEqual([ipv6[0], ipv4[0], ipv4[1], ipv4[2]]);
  });

  test.each([
    [['93.184.215.14', '10.0.0.1']],
    [['10.0.0.1', '93.184.215.14']],
    [['2606:4700::1111', '::1']],
    [['93.184.215.14', '::ffff:127.0.0.1']],
    [['127.0.0.1']],
    [['169.254.169.254']],
    [['fe80::1%eth0', '93.184.215.14']],
    [['93.184.215.14', 'nonsense']],
  ])('with one address that is not public is refused, and does not say which: %j', async (addresses) => {
    const error = await withNames({ 'mixed.example': addresses })
      .resolve('mixed.example', 'account')
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(AddressRefusedError);
    expect(error.message).toBe('must not lead to an address that is not public');
  });

  test.each([
    'localhost',
    'localhost.',
    'LOCALHOST',
    'a.localhost',
    'printer.local',
    'metadata.google.internal',
    'internal.',
  ])('that means this machine or network is refused without a look-up: %s', async (name) => {
    await expect(guard.resolve(name, 'account')).rejects.toThrow('must not lead to an address that is not public');
    expect(() => guard.checkUrl(`http://${name}/`, rules)).toThrow(
      /^Malformed field: url: must not lead to an address/,
    );
  });

  test('that means this machine is judged by its addresses once some are opened; public ones do not do', async () => {
    const names = { localhost: ['127.0.0.1'], 'x.internal': ['93.184.215.14'], 'y.local': ['10.0.0.1'] };
    const opened = withNames(names, ['127.0.0.0/8']);
    expect(await opened.resolve('localhost', 'account')).toEqual([{ address: '127.0.0.1', family: 4 }]);
    await expect(opened.resolve('x.internal', 'account')).rejects.toThrow(AddressRefusedError);
    await expect(opened.resolve('y.local', 'account')).rejects.toThrow(AddressRefusedError);
  });

  test('without an address, or without one in time, is not found', async () => {
    await expect(withNames({}).resolve('nowhere.example', 'account')).rejects.toThrow(NameNotFoundError);
    await expect(guard.resolve('broken.example', 'account')).rejects.toThrow(NameNotFoundError);
    const runtime = manualRuntime();
    const hanging = guardOf({ runtime, resolve: () => new Promise(() => {}), resolveTimeoutMs: 5_000 });
    const outcome = hanging.resolve('slow.example', 'account').catch((error) => error);
    await runtime.advance(5_000);
    expect(await outcome).toMatchObject({ name: 'NameNotFoundError', message: 'does not resolve in time' });
  });
});

describe('OUTBOUND_ALLOW opens exactly its blocks', () => {
  const opened = guardOf({ allow: ['10.1.0.0/16', 'fd00:1::/32', '127.0.0.1/32'] });

  test.each([
    '10.1.0.0',
    '10.1.255.255',
    'fd00:1::1',
    'fd00:1:ffff:ffff:ffff:ffff:ffff:ffff',
    '127.0.0.1',
    '::ffff:127.0.0.1',
  ])('inside: %s', async (host) =>
    expect((await opened.resolve(host, 'account'))[0].address).toBe(parseAddress(host)?.toString()),
  );

  test.each([
    '10.0.255.255',
    '10.2.0.0',
    'fd00:0:ffff::1',
    'fd00:2::',
    '127.0.0.2',
    '::1',
    '169.254.169.254',
    '64:ff9b::7f00:1',
  ])('outside: %s', async (host) => expect(opened.resolve(host, 'account')).rejects.toThrow(AddressRefusedError));

  test('and leaves public addresses open', async () => {
    expect((await opened.resolve('8.8.8.8', 'account'))[0].address).toBe('8.8.8.8');
  });
});

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

function textOf(bytes: number[]): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) =>
    (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16),
  );
  return groups.join(':');
}
