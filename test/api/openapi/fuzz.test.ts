import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actorFieldsOf } from '../../../scripts/openapi/shared.ts';
import type { Action } from '../../../src/actions/action.ts';
import { actions } from '../../../src/actions/registry.ts';
import { oneOfEachKind, repetitions } from '../../support/repetitions.ts';
import { useService } from '../../support/use-service.ts';
import { answerFaults, operationOf } from './contract.ts';

const numRuns = repetitions(4, 20);

const { ada } = await useService({}, { dollars: '1000' });

const checked = oneOfEachKind(actions);
const written = checked.filter(({ method }) => method !== 'GET').map((action) => [action.name, action] as const);
const read = checked.filter(({ method }) => method === 'GET').map((action) => [action.name, action] as const);

/** Typical malicious values that are sent in place of a string. */
const nasty = fc.constantFrom<fc.JsonValue>(
  { $ne: null },
  { $gt: '' },
  { __proto__: null, toString: 'x' },
  JSON.parse('{"__proto__":{"admin":true}}') as fc.JsonValue,
  '\u0000',
  '\ud800',
  '%00',
  "' OR 1=1 --",
  '../../etc/passwd',
  'a'.repeat(10_000),
  -0,
  1e308,
  '99999999999999999999',
  [[[[[[]]]]]],
);
const value = fc.oneof({ weight: 1, arbitrary: nasty }, { weight: 3, arbitrary: fc.jsonValue() });

function fieldsOf(action: Action): string[] {
  return [...Object.keys(action.input.shape), ...Object.keys(actorFieldsOf(action))];
}

function send(action: Action, query: string, body: string | undefined, headers: Record<string, string>) {
  const path = action.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => String(action.example[name]));
  return ada.send(action.method, path + query, body, {
    ...(action.actor && { 'x-auth-token': ada.headers['x-auth-token'] }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  });
}

/** Checks that the response is an Envelope with a documented status, and not an internal error. */
function expectFair(action: Action, answer: { status: number; body: unknown }): void {
  const error = JSON.stringify(answer.body);
  // The random proxy does not exist.
  if (answer.status >= 500) expect(answer.status, error).toBe(502);
  expect(Object.keys(operationOf(action).responses), error).toContain(String(answer.status));
  expect(answerFaults(action, answer.status, answer.body)).toEqual([]);
}

const check = <Value>(arbitrary: fc.Arbitrary<Value>, run: (value: Value) => Promise<void>) =>
  fc.assert(fc.asyncProperty(arbitrary, run), { numRuns });

describe('whatever is sent, the answer is an Envelope and no fault of the service', () => {
  test.each(written)('any JSON in any field of %s', async (_name, action) => {
    const field = fc.constantFrom(...fieldsOf(action));
    const body = fc
      .tuple(fc.constant(action.example), fc.dictionary(field, value, { maxKeys: 3 }))
      .map(([example, changes]) => ({ ...example, ...changes }));
    await check(body, async (input) => expectFair(action, await send(action, '', JSON.stringify(input), {})));
  });

  test.each(written)('any JSON, and what is almost JSON, as the body of %s', async (_name, action) => {
    const almost = fc.tuple(fc.json(), fc.nat(20)).map(([text, cut]) => text.slice(0, -cut || undefined));
    const bodies = fc.oneof(fc.json(), almost, fc.string({ unit: 'binary' }));
    await check(bodies, async (body) => expectFair(action, await send(action, '', body, {})));
  });

  test.each(read)('any query of %s', async (_name, action) => {
    const name = fc.oneof(fc.constantFrom(...fieldsOf(action), '__proto__', 'constructor'), fc.string());
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      value.map((item) => JSON.stringify(item)),
      fc.constantFrom('1', '0', '%', '%ff'),
    );
    const pair = fc.tuple(name, text, fc.boolean()).map(([left, right, encoded]) =>
      // Half of the queries are sent unencoded, which no client library would do.
      encoded ? new URLSearchParams([[left, right]]).toString() : `${left}=${right}`.replace(/[^!-~]|#/g, ''),
    );
    await check(fc.array(pair, { maxLength: 4 }), async (pairs) =>
      expectFair(action, await send(action, `?${pairs.join('&')}`, undefined, {})),
    );
  });

  test.each([...read, ...written])('any headers of %s', async (_name, action) => {
    const names = ['x-auth-token', 'x-proxy', 'x-request-id', 'idempotency-key', 'content-type', 'accept', 'cookie'];
    const name = fc.constantFrom(...names, 'content-encoding', 'authorization', 'x-http-method');
    const text = fc.oneof(fc.string(), fc.constantFrom('', 'application/json; charset=utf-99', '*/*', 'gzip, br'));
    const body = action.method === 'GET' ? undefined : JSON.stringify(action.example);
    await check(fc.dictionary(name, text, { maxKeys: 3 }), async (headers) =>
      expectFair(action, await send(action, '', body, headers)),
    );
  });
});
