import { afterEach, expect, test, vi } from 'vitest';
import { SdkWorkers } from '../../../src/platform/juicebox/sdk-workers.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';

let atLimit = () => {};
const workers = new SdkWorkers({
  after: (ms, task) => {
    if (ms === 60_000) atLimit = task;
    return systemRuntime.after(ms, task);
  },
});
afterEach(() => workers.close());

const realms = ['11', '22', '33'].map((digits) => ({
  id: digits.repeat(16),
  address: new URL('http://127.0.0.1/'),
  publicKey: null,
  token: 'token',
}));
const config = { realms, registerThreshold: 3, recoverThreshold: 2, pinHashing: 'FastInsecure', guesses: 20 };
const pin = Buffer.from('739104');
const never = () => new Promise<null>(() => {});
const expire = () => {
  atLimit();
  return never();
};

/** An operation without realms. */
const usual = () => workers.run({ pin }, config, async () => null);

test.each([
  ['dies', 'Ended', () => workers.run({ pin }, config, () => workers.close().then(never))],
  ['fails outside its operation', 'Ended', () => workers.run({ pin, secret: Buffer.alloc(200) }, config, never)],
  ['takes more than a minute', 'Ended', () => workers.run({ pin }, config, expire)],
  ['refuses its configuration', 'Panic', () => workers.run({ pin }, { ...config, pinHashing: 'none' }, never)],
])('SdkWorkers: goes on after a worker that %s', async (_what, reason, run) => {
  expect((await usual()).reason).toBe('Assertion');
  expect(await run()).toEqual({ reason });
  expect((await usual()).reason).toBe('Assertion');
});

test('SdkWorkers: loads the SDK again after it could not be loaded', async () => {
  const own = new SdkWorkers(systemRuntime);
  vi.spyOn(WebAssembly, 'compile').mockRejectedValueOnce(new Error('too many open files'));
  const run = () => own.run({ pin }, config, async () => null);
  await expect(run()).rejects.toThrow('too many open files');
  expect((await run()).reason).toBe('Assertion');
  await own.close();
});
