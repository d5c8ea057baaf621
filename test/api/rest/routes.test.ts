import { expect, test } from 'vitest';
import { exchange } from '../../support/raw.ts';
import { useService } from '../../support/use-service.ts';

const { service, ada } = await useService();

async function ask(method: string, target: string) {
  const headers = `Host: localhost\r\nAuthorization: Bearer ${ada.options.key}\r\nConnection: close`;
  const { answers } = await exchange(service.origin, `${method} ${target} HTTP/1.1\r\n${headers}\r\n\r\n`);
  const [answer] = answers;
  return { status: answer?.status, code: answer?.headers.get('x-error-code'), allow: answer?.headers.get('allow') };
}

test.each([
  ['a path in absolute form', 'GET', 'http://anywhere.test/v1/account/balance', 200, undefined],
  ['a query and a fragment', 'GET', '/v1/account/payments?count=1#top', 200, undefined],
  ['an unknown path', 'GET', '/v1/account/balances', 404, 'not_found'],
  ['the base alone', 'GET', '/v1', 404, 'not_found'],
  ['another case', 'GET', '/v1/Account/balance', 404, 'not_found'],
  ['a slash at the end', 'GET', '/v1/account/balance/', 404, 'not_found'],
  ['a pattern for an id', 'DELETE', '/v1/webhooks/none', 404, 'not_found'],
  ['an encoded id', 'DELETE', '/v1/webhooks/a%2Fb', 404, 'not_found'],
  ['an id that is wrongly encoded', 'DELETE', '/v1/webhooks/%zz', 400, 'bad_input'],
  ['a fixed path before a pattern', 'DELETE', '/v1/webhooks/replay', 405, 'method_not_allowed'],
])('%s', async (_name, method, target, status, code) => {
  expect(await ask(method, target)).toMatchObject({ status, code });
});

test('a refused method names the allowed ones', async () => {
  expect((await ask('OPTIONS', '/v1/webhooks')).allow).toBe('POST, GET');
});
