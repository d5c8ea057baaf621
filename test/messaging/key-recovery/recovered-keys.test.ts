import { expect, test } from 'vitest';
import { RecoveredKeys } from '../../../src/messaging/key-recovery/recovered-keys.ts';

test('keeps a limited number of secrets, the latest ones', () => {
  const keys = new RecoveredKeys('1', 'version', new Uint8Array(64));
  for (let number = 0; number < 20_000; number++) keys.keep(`key ${number}`, Uint8Array.of(1));
  expect(keys.kept('key 0')).toBeUndefined();
  expect(keys.kept('key 19999')).toEqual(Uint8Array.of(1));
});

test('returns copies, which remain when the keys are wiped', () => {
  const keys = new RecoveredKeys('1', 'version', new Uint8Array(64).fill(7));
  keys.keep('key', Uint8Array.of(1));
  const copies = [keys.privateKeys(), keys.kept('key')];
  keys.wipe();
  expect(copies).toEqual([new Uint8Array(64).fill(7), Uint8Array.of(1)]);
  expect(keys.kept('key')).toBeUndefined();
  expect(() => keys.privateKeys()).toThrow('forgotten');
});
