import { randomUUID } from 'node:crypto';

const json = { 'content-type': 'application/json' };
const names = ['ada', 'grace', 'tidewater_labs', 'northlightpress', 'citytrams'];
const words = ['coffee', 'trains', 'from:grace', '#coffee', 'from:ada'];
const query =
  'query($name: String!) { user(userName: $name) { name followersCount tweets(first: 5) { nodes { text author { userName } } } } }';

/** The calls of the overload test with their relative frequency. `random` draws the arguments. */
const calls = [
  [5, ({ pick }) => read('/tweet/advanced_search', { q: pick(words), count: '20' })],
  [4, ({ pick }) => read('/user/info', { userName: pick(names) })],
  [3, ({ pick }) => read('/user/followers', { userName: pick(names), count: '20' })],
  [3, () => write('/tweet/create', { text: `Overload ${randomUUID()}` })],
  [3, ({ pick }) => ({ ...post('/graphql', { query, variables: { name: pick(names) } }), check: isWhole })],
  [2, () => read('/account/balance', {})],
];
const total = calls.reduce((sum, [weight]) => sum + weight, 0);

/** Draws calls of `keys` in turn, as the platform account of `authToken`. */
export function drawCalls(keys, authToken, random) {
  const pick = (items) => items[Math.floor(random() * items.length)];
  let sent = 0;
  return () => {
    let drawn = random() * total;
    const [, make] = calls.find(([weight]) => {
      drawn -= weight;
      return drawn < 0;
    });
    const call = make({ pick });
    const key = keys[sent++ % keys.length];
    return { ...call, key, headers: { ...call.headers, authorization: `Bearer ${key}`, 'x-auth-token': authToken } };
  };
}

function read(path, input) {
  return { method: 'GET', path: `/v1${path}?${new URLSearchParams(input)}`, headers: {}, check: isWhole };
}

function write(path, input) {
  const call = post(`/v1${path}`, input);
  return { ...call, headers: { ...call.headers, 'idempotency-key': randomUUID() }, check: isWhole };
}

function post(path, input) {
  return { method: 'POST', path, headers: json, body: JSON.stringify(input) };
}

function isWhole(body) {
  if (!body.endsWith('}') || body.includes('"errors"')) throw new Error(`an incomplete body: ${body.slice(0, 200)}`);
}
