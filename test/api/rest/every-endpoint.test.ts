import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import { dmMessages } from '../../../src/actions/dm/messages.ts';
import { actions } from '../../../src/actions/registry.ts';
import type { Answer, Client } from '../../support/client.ts';
import { expectRefusal, restingBalance } from '../../support/refusal.ts';
import { oneOfEachKind } from '../../support/repetitions.ts';
import { everyRequestOf } from '../../support/sandbox-control.ts';
import { until } from '../../support/until.ts';
import { useService } from '../../support/use-service.ts';

const { service, sandbox, ada, newCaller } = await useService({ PLATFORM_TIMEOUT_MS: '100' });
const { client: penniless } = await newCaller('0');
// Chat keys are recovered before the faults begin, because the faults should affect the calls themselves. A call that finds nothing is
// free.
await until(async () => expect((await call(ada, dmMessages)).status).toBe(404));
beforeEach(() => sandbox.clearFaults());
afterAll(async () => expect(await restingBalance(ada)).toBe('1'));

/** Sends the action's example with the action's method. */
function call(client: Client, action: Action, more: Record<string, string> = {}): Promise<Answer> {
  const code = service.demo.accounts[0].encryptionCode;
  const headers = action.code === 'none' ? {} : { 'x-encryption-code': code };
  return client.call(action, { ...action.example, ...more }, headers);
}

/** Free actions send no request to the platform. */
const onPlatform = actions.filter(({ actor, price }) => actor && price > 0);

const answers = [
  [{ kind: 'status', status: 503 }, 502, /failed with status 503/],
  [{ kind: 'rate_limit', retry_after: 0 }, 429, /rate limit/],
  [{ kind: 'nonsense' }, 502, /cannot be understood/],
  [{ kind: 'wrong_shape' }, 502, /cannot be understood/],
  [{ kind: 'redirect', location: 'http://127.0.0.1:1/' }, 502, /cannot be understood/],
  [{ kind: 'truncated' }, 502, /broke the connection/],
  [{ kind: 'reset' }, 502, /broke the connection/],
  [{ kind: 'hang' }, 504, /did not answer in time/],
] as const;

describe.each(onPlatform.map((action) => [action.name, action] as const))('%s', (_name, action) => {
  test('needs a key, a valid actor and credit', async () => {
    expectRefusal(await call(ada.with({ key: '' }), action), 401);
    expectRefusal(await call(ada.with({ authToken: '' }), action), 400, 'Missing required field: auth_token');
    expectRefusal(await call(ada.with({ authToken: 'nobody' }), action), 403, 'Platform rejected auth_token');
    expectRefusal(await call(penniless, action), 402);
    expectRefusal(await call(ada, action, { proxy: 'socks5://127.0.0.1:1080' }), 400, /^Malformed field: proxy: /);
  });
});

describe.each(oneOfEachKind(onPlatform).map((action) => [action.name, action] as const))('%s', (_name, action) => {
  test.each(answers)('on a platform fault %o answers %i and charges nothing', async (fault, status, error) => {
    await service.addFault(fault, everyRequestOf(action));
    const answer = await call(ada, action);
    expectRefusal(answer, status, error);
    expect(answer.headers.get('retry-after')).toEqual(status === 429 ? expect.stringMatching(/^[01]$/) : null);
  });
});

const withBody = actions.filter(({ method, price }) => method !== 'GET' && price > 0);

test.each(withBody.map((action) => [action.name, action] as const))(
  '%s takes null for a field that may be left out',
  async (_name, action) => {
    const { shape } = action.input;
    const optional = Object.keys(shape).filter((field) => shape[field]?.safeParse(undefined).success);
    const credentials = action.actor ? { proxy: null, encryption_code: null } : {};
    const nulls = Object.fromEntries(optional.map((field) => [field, null]));
    const example = { ...credentials, ...nulls, ...action.example };
    // Credit is checked after the input.
    expectRefusal(await call(penniless, { ...action, example }), 402);
  },
);

const paged = actions.filter((action) => action.paged === true);

test.each(paged.map((action) => [action.name, action] as const))(
  '%s refuses a page size out of bounds and a cursor from elsewhere',
  async (_name, action) => {
    const page = (count: unknown) => call(ada, { ...action, example: { ...action.example, count } });
    for (const count of [0, 101, 1.5]) expectRefusal(await page(count), 400, /^Malformed field: count: /);
    expectRefusal(await call(ada, action, { cursor: 'made-up' }), 400, /^Malformed field: cursor: /);
  },
);
