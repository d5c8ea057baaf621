import { afterAll, describe, expect, test } from 'vitest';
import { actions } from '../../../src/actions/registry.ts';
import { expectRefusal, restingBalance } from '../../support/refusal.ts';
import { oneOfEachKind } from '../../support/repetitions.ts';
import { startService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';

const { service, ada: caller } = await useService({ UNAUTHENTICATED_RATE_LIMIT: '0' });

afterAll(async () => expect(await restingBalance(caller)).toBe('1'));

const json = { 'content-type': 'application/json' };
const checked = oneOfEachKind(actions);
const posts = checked.filter(({ method }) => method === 'POST').map(({ path }) => path);
/** The methods of each path. */
const paths = new Map<string, string[]>();
for (const { path, method } of actions) paths.set(path, [...(paths.get(path) ?? []), method]);

describe('a path that does not exist', () => {
  test.each([
    '/',
    '/tweet',
    '/tweet/create/',
    '/tweet/Create',
    '/tweet/advanced_search/x',
    '/tweet%2Fcreate',
    '/account/',
    '/toString',
    '/__proto__',
    '/account/../../etc/passwd%00',
    '//account',
  ])('is 404 with or without a key: %s', async (path) => {
    const error = 'Unknown path: the endpoints are below /v1, and /docs lists them';
    expectRefusal(await caller.send('GET', path), 404, error);
    expectRefusal(await caller.with({ key: '' }).send('POST', path, '{}', json), 404);
  });
});

describe('a wrong method', () => {
  const checkedPaths = [...paths].filter(([path]) => checked.some((action) => action.path === path));
  const wrong = checkedPaths.flatMap(([path, allowed]) =>
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].flatMap((method) =>
      allowed.includes(method) ? [] : [[method, path, allowed.join(', ')]],
    ),
  );

  test.each(wrong)('%s %s is 405 and allows %s, with or without a key', async (method = '', path = '', allowed) => {
    for (const client of [caller, caller.with({ key: '' })]) {
      const answer = await client.send(method, path);
      expectRefusal(answer, 405);
      expect(answer.headers.get('allow')).toBe(allowed);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  test.each(checkedPaths)(
    'HEAD %s is 405, so that no call is charged for a response without a body',
    async (path, allowed) => {
      const url = `${service.demo.baseUrl}${path}?q=tea&userName=ada`;
      const response = await fetch(url, { method: 'HEAD', headers: caller.headers });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe(allowed.join(', '));
      expect(response.headers.get('x-credits-charged')).toBeNull();
    },
  );
});

describe('an API key', () => {
  const key = () => caller.options.key ?? '';

  test.each<[string, string | undefined]>([
    ['none', undefined],
    ['an empty header', ''],
    ['a scheme alone', 'Bearer'],
    ['another scheme', 'Basic cG9zdGVybjpwb3N0ZXJu'],
    ['two words', 'Bearer pstn_a pstn_b'],
    ['a word', 'Bearer letmein'],
    ['undefined', 'Bearer undefined'],
    ['something very long', `Bearer ${'x'.repeat(8_000)}`],
    ['the form of a key, a checksum that is wrong', `Bearer pstn_${'0'.repeat(38)}`],
  ])('that is %s is 401 with WWW-Authenticate', async (_name, authorization) => {
    for (const { path, method } of checked) {
      const headers = { ...json, ...(authorization !== undefined && { authorization }) };
      const answer = await caller.with({ key: '' }).send(method, path, method === 'GET' ? undefined : '{}', headers);
      expectRefusal(answer, 401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  test('that is mistyped by one character is 401, and the answer does not repeat it', async () => {
    const mistyped = key().replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const answer = await caller.with({ key: mistyped }).get('/account');
    expectRefusal(answer, 401, /incomplete or mistyped/);
    expect(answer.body.error).not.toContain(mistyped.slice(5));
  });

  test('that is well formed but unknown is 401', async () => {
    const other = await startService({ UNAUTHENTICATED_RATE_LIMIT: '0' });
    const { key: foreign } = await other.makeAccount('1');
    await other.stop();
    expectRefusal(await caller.with({ key: foreign }).get('/account'), 401, 'Invalid API key: no such key');
  });

  test('that was revoked is 401', async () => {
    const account = await service.makeAccount('1');
    await service.revokeKey(account.keyId);
    const answer = await caller.with({ key: account.key }).get('/account');
    expectRefusal(answer, 401, 'Invalid API key: it was revoked');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('is accepted with any case of the scheme', async () => {
    const answer = await caller.with({ key: '' }).get('/account', {}, { authorization: `bEARER  ${key()}` });
    expect(answer.status).toBe(200);
  });
});

describe('a body', () => {
  const send = (body: string, headers: Record<string, string>, path = '/tweet/create') =>
    caller.send('POST', path, body, headers);

  test.each(posts)('over 1 MiB, or 24 MiB if base64 is accepted, is 413: %s', async (path) => {
    const isLarge = actions.some((action) => action.path === path && action.takesBase64);
    const body = JSON.stringify({ text: 'x'.repeat((isLarge ? 24 : 1) * 1024 * 1024) });
    expectRefusal(await send(body, json, path), 413);
  });

  test('of exactly 1 MiB is read', async () => {
    const frame = JSON.stringify({ padding: '' }).length;
    const body = JSON.stringify({ padding: 'x'.repeat(1024 * 1024 - frame) });
    expectRefusal(await send(body, json), 400, /^Missing required field: auth_token\. Unknown parameter: padding/);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-patch+json',
    'text/json',
    '*/*',
    'garbage',
  ])('of type %s is 415', async (type) => {
    for (const path of posts) expectRefusal(await send('{"a":1}', { 'content-type': type }, path), 415);
  });

  test('without a type is 415', async () => {
    expectRefusal(await caller.send('POST', '/tweet/create', Buffer.from('{"text":"x"}'), caller.headers), 415);
  });

  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('of type %s is read', async (type) => {
    expectRefusal(await send('{}', { 'content-type': type }), 400, 'Missing required field: auth_token');
  });

  test.each(['utf-99', 'latin1', 'x'])('is refused in the charset %s with 415', async (charset) => {
    const headers = { 'content-type': `application/json; charset=${charset}` };
    expectRefusal(await send('{}', headers), 415, 'The body must be UTF-8');
  });

  test.each(['{', '{"text":}', "{'text':'a'}", '{"a":1}{"b":2}', 'text=a', '{"a":1,}', 'NaN', '\u0000', '{"a":"\n"}'])(
    'that is not JSON is 400: %j',
    async (body) => {
      for (const path of posts) expectRefusal(await send(body, json, path), 400, 'The body is not valid JSON');
    },
  );

  test.each(['[]', '[{"text":"a"}]', 'null', '"text"', '1', 'true'])('that is no object is 400: %s', async (body) => {
    for (const path of posts)
      expectRefusal(await send(body, { ...json, ...caller.headers }, path), 400, 'The body must be a JSON object');
  });

  test('that is missing counts as one without fields', async () => {
    const response = await caller.send('POST', '/tweet/create');
    expectRefusal(response, 400, 'Missing required field: auth_token');
  });
});
