import { expect, test } from 'vitest';
import { useService } from '../../support/use-service.ts';

const proxy = 'http://proxyuser:canary-proxy-password@proxy.example:8080';
const code = 'canary-encryption-code';
const value = 'canary/variable/value';
const literal = 'canary-literal-value';
const { service, sandbox, newCaller } = await useService(
  { LOG_LEVEL: 'trace', PLATFORM_TIMEOUT_MS: '150', GRAPHQL_TIMEOUT_MS: '400' },
  { resolve: async () => [] },
);
/** All error messages and log lines of the service. */
const said: string[] = [];

test('no key, token, code, password or value of a variable is in a log line or an error', async () => {
  const { key, client } = await newCaller('0.02');
  const poor = (await service.makeAccount('0')).key;
  const token = service.demo.accounts[0].authToken;
  const rejected = 'canary-rejected-token-0123456789';
  const unknownKey = `pstn_${'canary'.repeat(7)}`.slice(0, 43);
  const statuses = new Set<number>();

  const send = async (body: unknown, headers: Record<string, string> = {}, search = '') => {
    const json = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
    const response = await fetch(`${service.origin}/graphql${search}`, {
      method: 'POST',
      headers: { ...json, ...client.headers, 'x-encryption-code': code, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    statuses.add(response.status);
    const { errors = [], extensions } = (await response.json()) as {
      errors?: { extensions: { status: number } }[];
      extensions: unknown;
    };
    for (const error of errors) statuses.add(error.extensions.status);
    said.push(JSON.stringify({ errors, extensions }));
  };
  const ask = (query: string, variables: unknown = {}, headers: Record<string, string> = {}) =>
    send({ query, variables }, headers);
  const viewer = '{ viewer { userName } }';
  const user = 'query ($n: String) { user(userName: $n) { id } }';
  const search = 'query ($n: Int, $c: String) { searchTweets(q: "tea", first: $n, after: $c) { nodes { id } } }';
  const post = 'mutation ($t: String!) { createTweet(input: { text: $t }) { tweet { id } } }';

  await ask(viewer, {}, { authorization: `Bearer ${unknownKey}` });
  await ask(viewer, {}, { authorization: `Basic ${key}` });
  await ask(viewer, {}, { authorization: `Bearer ${poor}` });
  await ask(viewer, {}, { 'x-auth-token': rejected });
  await ask(viewer, {}, { 'x-auth-token': `${token};x` });
  await ask(viewer, {}, { 'x-proxy': proxy });
  await ask(viewer, {}, { 'x-proxy': proxy.replace('8080', 'x') });
  await ask(user, { n: value });
  await ask(user, { n: 5, [value]: value });
  await ask(user, { n: { [value]: value } });
  await ask(search, { n: value });
  await ask(search, { c: value });
  await ask(post, { t: value.repeat(200) });
  await ask(`{ user(userName: 5, nothing: "${literal}") { id } }`);
  await ask(`{ homeTimeline(first: "${literal}") { nodes { id } } }`);
  await ask(`{ viewer "${literal}" }`);
  await ask(`{ viewer """${literal}""" }`);
  await send(`{"query":"${value}`);
  await send({ query: viewer, variables: value });
  await send({ query: viewer, extensions: value });
  await send({ documentId: value });
  await send({ extensions: { persistedQuery: { sha256Hash: value } } });
  await send({ query: viewer }, { 'idempotency-key': `${value}`.repeat(20) });
  await send({ query: viewer }, {}, `?auth_token=${token}&variables=${value}`);
  await send({ query: viewer }, {}, `?variables=${value}`);
  await send(value, { 'content-type': `text/${value}` });
  await send(value, { 'content-encoding': value });
  for (const kind of ['hang', 'reset', 'nonsense', 'wrong_shape', 'truncated']) {
    await service.addFault({ kind }, { times: 2 });
    await ask(user, { n: 'grace' });
    await ask(post, { t: `${value} ${kind}` });
    await sandbox.clearFaults();
  }
  for (const status of [400, 401, 402, 403, 415, 502, 504]) expect([...statuses], `${status}`).toContain(status);
  expect(service.log.length).toBeGreaterThan(said.length);
  const credentials = [key, key.slice(11), poor, token, rejected, unknownKey, 'canary-proxy-password', code];
  const secrets = [...credentials, value, literal];
  for (const text of [...said, ...service.log]) for (const secret of secrets) expect(text).not.toContain(secret);
});
