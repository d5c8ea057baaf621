import { expect, test } from 'vitest';
import { KeyCache } from '../../../src/messaging/key-recovery/key-cache.ts';
import { RecoveredKeys } from '../../../src/messaging/key-recovery/recovered-keys.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';

test('KeyCache: wipes the secrets of the users with the most when all users have more than 50,000', () => {
  const cache = new KeyCache(systemRuntime);
  const add = (name: string, secrets: number) => {
    const keys = new RecoveredKeys(name, new Uint8Array(64));
    for (let number = 0; number < secrets; number++) keys.keep(`key ${number}`, Uint8Array.of(1));
    cache.set(name, keys);
    return keys;
  };
  const small = add('small', 10);
  const large = Array.from({ length: 6 }, (_, number) => add(`large ${number}`, 10_000));
  expect(cache.get('small')?.secrets).toBe(10);
  expect(large.map(({ secrets }) => secrets).filter((secrets) => secrets > 0)).toEqual(Array(4).fill(10_000));
  expect(large.some(({ forgotten }) => forgotten)).toBe(false);
  cache.clear();
  expect(small.forgotten).toBe(true);
});

test('RecoveredKeys: keeps a limited number of secrets, the latest ones', () => {
  const keys = new RecoveredKeys('1', new Uint8Array(64));
  for (let number = 0; number < 20_000; number++) keys.keep(`key ${number}`, Uint8Array.of(1));
  expect(keys.kept('key 0')).toBeUndefined();
  expect(keys.kept('key 19999')).toEqual(Uint8Array.of(1));
});

test('RecoveredKeys: returns copies, which remain when the keys are wiped', () => {
  const keys = new RecoveredKeys('1', new Uint8Array(64).fill(7));
  keys.keep('key', Uint8Array.of(1));
  const copies = [keys.privateKeys(), keys.kept('key')];
  keys.wipe();
  expect(copies).toEqual([new Uint8Array(64).fill(7), Uint8Array.of(1)]);
  expect(keys.kept('key')).toBeUndefined();
  expect(() => keys.privateKeys()).toThrow('forgotten');
});
