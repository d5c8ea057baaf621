import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemRuntime } from '../../src/runtime/runtime.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { deriveKey, readOrMakeSecretKey } from '../../src/secrets/secret-key-file.ts';

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const read = () => readOrMakeSecretKey(dataDir, systemRuntime).expose().toString('hex');

describe('the key in DATA_DIR', () => {
  test('is made once, for its owner alone, and is the same from then on', () => {
    const key = read();
    expect(key).toHaveLength(64);
    expect(read()).toBe(key);
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir)).toEqual(['secret.key']);
  });

  test('is not made in place of one that was there first', () => {
    const first = Buffer.alloc(32, 7).toString('base64');
    // Another process makes it between the look and the write.
    const late = {
      ...systemRuntime,
      randomBytes: (length: number) => {
        writeFileSync(join(dataDir, 'secret.key'), `${first}\n`);
        return systemRuntime.randomBytes(length);
      },
    };
    expect(readOrMakeSecretKey(dataDir, late).expose().toString('base64')).toBe(first);
    expect(readdirSync(dataDir)).toEqual(['secret.key']);
  });

  test.each(['', 'short', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64')])(
    'that is damaged stops the start, and is neither shown nor replaced: %j',
    (damaged) => {
      const path = join(dataDir, 'secret.key');
      writeFileSync(path, damaged);
      expect(read).toThrow(/secret\.key in DATA_DIR does not hold 32 bytes/);
      if (damaged) expect(read).not.toThrow(damaged);
      expect(readFileSync(path, 'utf8')).toBe(damaged);
    },
  );

  test('gives another key for each purpose, always the same', () => {
    const key = new Secret(Buffer.alloc(32, 1));
    const one = deriveKey(key, 'cursors').expose();
    expect(deriveKey(key, 'cursors').expose()).toEqual(one);
    expect(deriveKey(key, 'other').expose()).not.toEqual(one);
    expect(deriveKey(new Secret(Buffer.alloc(32, 2)), 'cursors').expose()).not.toEqual(one);
    expect(one).toHaveLength(32);
  });
});
