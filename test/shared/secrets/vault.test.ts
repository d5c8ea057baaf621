import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { Vault, VaultError } from '../../../src/shared/secrets/vault.ts';

const key = (fill: number) => new Secret(Buffer.alloc(32, fill));
const vault = (...fills: number[]) => new Vault(fills.map(key), systemRuntime);

describe('a sealed text', () => {
  test('decrypts to the original text for the same record', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, record) => {
        // Half of a surrogate pair cannot be encoded in UTF-8.
        fc.pre(text.isWellFormed());
        expect(vault(1).open(vault(1).seal(text, record), record)).toBe(text);
      }),
    );
  });

  test('shows nothing of the text, and is another one each time', () => {
    const one = vault(1).seal('a secret thing', 'r');
    expect(one).not.toBe(vault(1).seal('a secret thing', 'r'));
    expect(Buffer.from(one.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('secret');
    expect(one).toMatch(/^v1\.[\w-]{8}\.[\w-]+$/);
  });

  test('does not open for another record, nor under another key', () => {
    const sealed = vault(1).seal('text', 'record 1');
    expect(() => vault(1).open(sealed, 'record 2')).toThrow(VaultError);
    expect(() => vault(2).open(sealed, 'record 1')).toThrow(/SECRET_KEY that is not configured any more/);
  });

  test('opens under any of several keys; the first seals', () => {
    const old = vault(1).seal('text', 'r');
    expect(vault(2, 1).open(old, 'r')).toBe('text');
    const young = vault(2, 1).seal('text', 'r');
    expect(vault(2).open(young, 'r')).toBe('text');
    expect(() => vault(1).open(young, 'r')).toThrow(VaultError);
  });

  test('that was altered anywhere, or cut short, does not open', () => {
    const sealed = vault(1).seal('text', 'r');
    const [version, id, body = ''] = sealed.split('.');
    const bytes = Buffer.from(body, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const altered = Buffer.from(bytes);
      altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => vault(1).open(`${version}.${id}.${altered.toString('base64url')}`, 'r')).toThrow(VaultError);
    }
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length).toString('base64url');
      expect(() => vault(1).open(`${version}.${id}.${cut}`, 'r')).toThrow(VaultError);
    }
    for (const text of ['', 'v1', 'v2.a.b', 'plain text']) expect(() => vault(1).open(text, 'r')).toThrow(VaultError);
  });
});
