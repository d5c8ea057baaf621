import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts';
import { patientRuntime } from '../../support/patient-runtime.ts';
import { expectRefusal, restingBalance } from '../../support/refusal.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { useService } from '../../support/use-service.ts';

/** The gateway's clock advances only through this function, so that no test depends on its speed. Real waiting is still possible. */
let now = Date.now();
const leap = (ms: number) => {
  now += ms;
};

let platform: Sandbox = await startSandbox({ port: 0, dataDir: null });
afterAll(() => platform.close());
const control = new SandboxControl(platform.url);
const { service, ada } = await useService(
  { PLATFORM_URL: platform.url, PLATFORM_KIND: 'sandbox', PLATFORM_TIMEOUT_MS: '200' },
  { runtime: { ...patientRuntime, now: () => now } },
);
afterEach(() => control.clearFaults());

const readyz = async () => {
  const response = await fetch(`${service.origin}/readyz`);
  return { status: response.status, body: (await response.json()) as { error: string | null } };
};
const info = () => ada.get('/user/info', { userName: 'ada' });
const shortcut = 'The platform does not answer; it is tried again every second';

describe('a platform that hangs', () => {
  test('opens the circuit breaker after ten calls in a row; one call a second is tried until the platform responds', async () => {
    await service.addFault({ kind: 'hang' }, { times: null, operation: 'getUsersByUsername' });
    for (const answer of await Promise.all(Array.from({ length: 10 }, info))) expectRefusal(answer, 504);
    const asked = await control.requests('getUsersByUsername');

    for (let i = 0; i < 20; i++) expectRefusal(await info(), 502, shortcut);
    expect(await control.requests('getUsersByUsername')).toBe(asked);

    leap(1_000);
    const tries = await Promise.all(Array.from({ length: 10 }, info));
    expect(tries.map(({ status }) => status).sort()).toEqual([...Array(9).fill(502), 504]);
    expect(await control.requests('getUsersByUsername')).toBe(asked + 1);

    await control.clearFaults();
    leap(1_000);
    expect((await info()).status).toBe(200);
    for (const answer of await Promise.all(Array.from({ length: 10 }, info))) expect(answer.status).toBe(200);
    expect(await restingBalance(ada)).toBe('0.989');
  });

  test('occasionally does not open the circuit breaker', async () => {
    for (let i = 0; i < 12; i++) {
      await service.addFault({ kind: 'reset' }, { operation: 'getUsersByUsername', times: 2 });
      expectRefusal(await info(), 502, 'The platform cannot be reached, or broke the connection');
      expect((await info()).status).toBe(200);
    }
  });
});

describe('/readyz', () => {
  test('asks the platform once a second, however many callers ask and however long it takes', async () => {
    const pings = () => control.requests('getUsersMe');
    leap(1_000);
    const before = await pings();
    await Promise.all(Array.from({ length: 50 }, readyz));
    expect(await pings()).toBe(before + 1);
    leap(999);
    await readyz();
    expect(await pings()).toBe(before + 1);
    leap(1);
    await service.addFault({ kind: 'hang' }, { operation: 'getUsersMe' });
    const slow = readyz();
    await expect.poll(pings).toBe(before + 2);
    leap(5_000);
    expect(await Promise.all([slow, readyz()])).toMatchObject([{ status: 503 }, { status: 503 }]);
    expect(await pings()).toBe(before + 2);
  });
});

describe('a platform that is unavailable for some time', () => {
  test('causes 502 and makes the service not ready; account endpoints work', async () => {
    leap(1_000);
    expect(await readyz()).toMatchObject({ status: 200 });
    const before = await restingBalance(ada);
    await platform.close();
    for (let i = 0; i < 15; i++) expectRefusal(await info(), 502);
    expectRefusal(await ada.post('/tweet/create', { text: 'Into the void' }), 502);
    leap(1_000);
    const error = 'Not ready: store ok, platform unreachable';
    expect(await readyz()).toEqual({ status: 503, body: { status: false, data: null, error } });
    expect(await restingBalance(ada)).toBe(before);
    expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);

    platform = await startSandbox({ port: platform.port, dataDir: null });
    const readyLater = () => {
      leap(1_000);
      return readyz();
    };
    await expect.poll(readyLater, { interval: 250 }).toMatchObject({ status: 200 });
    expect((await info()).status).toBe(200);
  });
});
