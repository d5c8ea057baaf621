import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { candidatesOf, parseHosts, parseResolvConf, WatchedFile } from '../../src/outbound/resolver-files.ts';
import { manualRuntime } from '../store/manual-runtime.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

describe('hosts file', () => {
  test('reads addresses, names, aliases and comments', () => {
    const hosts = parseHosts(
      '# comment\n127.0.0.1\tlocalhost\r\n::1 localhost ip6-localhost\n 10.0.0.5  DB.Example. db # the database\nno-address x\n10.0.0.6',
    );
    expect(Object.fromEntries(hosts)).toEqual({
      localhost: ['127.0.0.1', '::1'],
      'ip6-localhost': ['::1'],
      'db.example': ['10.0.0.5'],
      db: ['10.0.0.5'],
    });
  });

  test('limits the addresses of a name', () => {
    const lines = Array.from({ length: 255 }, (_, i) => `10.0.0.${i} many`);
    expect(parseHosts(lines.join('\n')).get('many')).toHaveLength(32);
  });
});

describe('resolv.conf', () => {
  test('reads name servers, search domains and ndots', () => {
    const text =
      '# nameserver 192.0.2.9\n; x\nnameserver 192.0.2.1\nnameserver fe80::1%eth0\nnameserver dns.example\nnameserver\nsearch a.example b.example .\noptions rotate ndots:5 timeout:1\n';
    expect(parseResolvConf(text)).toEqual({
      servers: ['192.0.2.1', 'fe80::1%eth0'],
      search: ['a.example', 'b.example'],
      ndots: 5,
    });
  });

  test('uses the last of several search lines, and limits ndots to 15', () => {
    expect(parseResolvConf('search a.example\ndomain b.example c.example\noptions ndots:99')).toEqual({
      servers: [],
      search: ['b.example'],
      ndots: 15,
    });
    expect(parseResolvConf('')).toEqual({ servers: [], search: [], ndots: 1 });
  });

  test.each([
    ['shop', 1, ['shop.a.example', 'shop.b.example', 'shop']],
    ['shop.example', 1, ['shop.example', 'shop.example.a.example', 'shop.example.b.example']],
    ['shop.example', 2, ['shop.example.a.example', 'shop.example.b.example', 'shop.example']],
    ['shop', 0, ['shop', 'shop.a.example', 'shop.b.example']],
    ['shop.', 5, ['shop.']],
  ])('orders the candidates of %s with ndots %d as glibc does', (name, ndots, candidates) => {
    expect(candidatesOf(name, { servers: [], search: ['a.example', 'b.example'], ndots })).toEqual(candidates);
  });
});

describe('watched file', () => {
  test('reads a changed, deleted and new file after a second', () => {
    const path = join(folder, 'watched');
    const runtime = manualRuntime();
    const parsed: string[] = [];
    const parse = (text: string) => {
      parsed.push(text);
      return text;
    };
    const file = new WatchedFile(path, parse, runtime);
    expect(file.read()).toBe('');
    writeFileSync(path, 'one');
    expect(file.read()).toBe('');
    runtime.leap(1_000);
    expect([file.read(), file.read()]).toEqual(['one', 'one']);
    runtime.leap(1_000);
    expect(file.read()).toBe('one');
    expect(parsed.filter((text) => text === 'one')).toHaveLength(1);
    writeFileSync(path, 'two, longer');
    runtime.leap(-3_600_000);
    expect(file.read()).toBe('two, longer');
    rmSync(path);
    runtime.leap(1_000);
    expect(file.read()).toBe('');
  });
});
