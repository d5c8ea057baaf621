import { beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../src/main/open-store.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import type { Store } from '../../../src/store/port.ts';
import type { GraphqlAnswer } from '../../support/graphql.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useService } from '../../support/use-service.ts';

const secret = 'what nobody outside may read';
const dataDir = temporaryFolder();
/** Methods of the store that throw an unexpected error, such as `keys.list`. */
const broken = new Set<string>();

const config = readConfig({ DATA_DIR: dataDir });
const { service, graphql: ada } = await useService(
  { DATA_DIR: dataDir },
  { openStore: async () => breakable(await openStore(config, systemRuntime)) },
);
beforeEach(() => broken.clear());

/** Wraps a store whose methods in `broken` throw. */
function breakable(store: Store): Store {
  return new Proxy(store, {
    get(target, room) {
      const found: unknown = Reflect.get(target, room, target);
      if (typeof found === 'function') return found.bind(target);
      if (typeof found !== 'object' || found === null) return found;
      return new Proxy(found, {
        get(verbs, name) {
          const verb: unknown = Reflect.get(verbs, name, verbs);
          if (typeof verb !== 'function') return verb;
          if (!broken.has(`${String(room)}.${String(name)}`)) return verb.bind(verbs);
          return async () => {
            throw new Error(secret);
          };
        },
      });
    },
  });
}

const masked = {
  message: 'Internal error. The log contains the cause with this x-request-id',
  extensions: { code: 'INTERNAL', status: 500 },
};

/** Checks that the log contains the cause once, with the request id of the response. */
function expectLoggedOnce({ headers }: GraphqlAnswer): void {
  const id = headers.get('x-request-id');
  const lines = service.log.map((line) => JSON.parse(line)).filter(({ requestId, err }) => requestId === id && err);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ level: 50, code: 'internal', err: { message: secret, stack: expect.any(String) } });
}

test('an unexpected error is masked, logged once with its cause, and does not affect other fields', async () => {
  broken.add('keys.list');
  const answer = await ada.ask('{ a: account { name } viewer { userName } b: account { balance } }');
  expect(answer.status).toBe(200);
  expect(answer.data).toEqual({ a: null, viewer: { userName: 'ada' }, b: null });
  expect(answer.errors).toMatchObject([
    { ...masked, path: ['a'] },
    { ...masked, path: ['b'] },
  ]);
  expect(JSON.stringify(answer)).not.toContain(secret);
  expect(answer.extensions.credits.charged).toBe('0.001');
  expectLoggedOnce(answer);
});

test.each([
  ['who calls is found', 'keys.findByHash', '{ viewer { name } }'],
  ['the Idempotency-Key is claimed', 'idempotency.claim', 'mutation { createTweet(input: { text: "Never" }) { id } }'],
])('refuses the whole request where %s in a way nobody foresaw', async (_name, verb, query) => {
  const { key } = await service.makeAccount('1');
  broken.add(verb);
  const answer = await ada.with({ key }).ask(query, {}, { 'idempotency-key': 'a key' });
  expect(answer).toMatchObject({ status: 500, data: null, errors: [masked] });
  expect(answer.extensions).toMatchObject({ cost: { actual: '0' }, credits: { charged: '0' } });
  expect(JSON.stringify(answer)).not.toContain(secret);
  expectLoggedOnce(answer);
});

test.each([
  ['an argument', 'query ($id: String!) { webhook(webhookId: $id) { url } }'],
  ['an input', 'mutation ($id: String!) { deleteWebhook(input: { webhookId: $id }) { deleted } }'],
  [
    'an input with alternatives',
    'mutation ($id: String!) { updateWebhook(input: { webhookId: $id }) { webhook { url } } }',
  ],
])('a malformed field of %s is named as GraphQL spells it', async (_name, query) => {
  const { errors } = await ada.ask(query, { id: 'x'.repeat(65) });
  const extensions = { code: 'BAD_USER_INPUT', field: 'webhookId' };
  expect(errors).toMatchObject([{ message: 'Malformed field: webhookId: must be at most 64', extensions }]);
});

test('the platform’s faults are told, and logged once with their cause however many fields they fail', async () => {
  await service.addFault({ kind: 'status', status: 500 }, { operation: 'getUsersMe', times: null });
  const answer = await ada.ask('{ a: viewer { name } b: viewer { userName } c: viewer { userId } }');
  expect(answer).toMatchObject({ data: { a: null, b: null, c: null } });
  expect(answer.errors).toHaveLength(3);
  const id = answer.headers.get('x-request-id');
  const lines = service.log.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === id);
  expect(lines.filter(({ level }) => level === 40)).toMatchObject([{ code: 'platform_unavailable' }]);
});
