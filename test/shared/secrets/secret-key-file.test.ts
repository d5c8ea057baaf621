import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { derivePurposeKey, makeSecretKeyFile, readSecretKeyFile } from '../../../src/shared/secrets/secret-key-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let dataDir: string;

beforeEach(() => {
  dataDir = temporaryFolder();
});

const make = (runtime = systemRuntime) => makeSecretKeyFile(dataDir, runtime).expose().toString('base64');
const read = () => readSecretKeyFile(dataDir)?.expose().toString('base64');
const write = (text: string) => writeFileSync(join(dataDir, 'secret.key'), text);

describe('the key in DATA_DIR', () => {
  test('is made for its owner alone, and is the same from then on', () => {
    expect(read()).toBeUndefined();
    const key = make();
    expect(key).toHaveLength(44);
    expect(make()).toBe(key);
    expect(read()).toBe(key);
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir)).toEqual(['secret.key']);
  });

  test('is not made in place of one that another process made first', () => {
    const first = randomBytes(32).toString('base64');
    const late = {
      ...systemRuntime,
      randomBytes: (length: number) => {
        write(`${first}\n`);
        return systemRuntime.randomBytes(length);
      },
    };
    expect(make(late)).toBe(first);
    expect(readdirSync(dataDir)).toEqual(['secret.key']);
  });

  test('that is weak stops the start, and the message does not show it', () => {
    const weak = Buffer.alloc(32, 7).toString('base64');
    write(weak);
    expect(read).toThrow(/weak key: all of its bytes are equal.*SECRET_KEY=.*openssl rand -base64 32/);
    expect(read).not.toThrow(weak);
  });

  test.each(['', 'short', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64')])(
    'that is damaged stops the start, and is neither shown nor replaced: %j',
    (damaged) => {
      const path = join(dataDir, 'secret.key');
      writeFileSync(path, damaged);
      expect(read).toThrow(/secret\.key in DATA_DIR does not contain 32 bytes/);
      if (damaged) expect(read).not.toThrow(damaged);
      expect(readFileSync(path, 'utf8')).toBe(damaged);
    },
  );

  test('gives another key for each purpose, always the same', () => {
    const key = new Secret(Buffer.alloc(32, 1));
    const one = derivePurposeKey(key, 'cursors').expose();
    expect(derivePurposeKey(key, 'cursors').expose()).toEqual(one);
    expect(derivePurposeKey(key, 'other').expose()).not.toEqual(one);
    expect(derivePurposeKey(new Secret(Buffer.alloc(32, 2)), 'cursors').expose()).not.toEqual(one);
    expect(one).toHaveLength(32);
  });
});
