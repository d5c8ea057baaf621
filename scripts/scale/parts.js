// The processes of the measurement and the calls that are made. The gateway has one core, and everything else has the others.
import { randomBytes } from 'node:crypto';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeAccounts } from '../bench/accounts.js';
import { pin } from '../bench/pin.js';
import { usageOf } from '../bench/process-tree.js';
import { start, startGateway, stop, temporaryFolder } from '../bench/processes.js';

const production = { NODE_ENV: 'production' };
const secret = 'a-secret-for-the-scale';
/** The credit of each caller in dollars. */
const credit = 1_000_000;
/** The accounts of the platform with a webhook. There are several, because each is polled at most five times a second. */
const actorCount = 16;

/** The processor core of the gateway. */
const gatewayCore = 0;

/** Moves this process, and those that it will start, to the other cores. Must be called before another process is started. */
export function leaveOneCore() {
  const cores = cpus().length;
  if (cores < 2) throw new Error('scale: needs two cores');
  pin(process.pid, `1-${cores - 1}`);
}

/**
 * Starts a sandbox, a platform that repeats its answers, a receiver, and a gateway with an account for each of `callers`. `store` has the settings
 * of another store than SQLite.
 */
export async function startParts({ callers, store = {} }) {
  const dataDir = temporaryFolder();
  const sandbox = await start('postern.js', ['sandbox'], {
    ...production,
    DATA_DIR: temporaryFolder(),
    SANDBOX_PORT: '0',
    SANDBOX_ACTIVITY: '0',
  });
  const platform = await start('scale/recorded-platform.js', [sandbox.url], production);
  const receiver = await start('bench/webhook-receiver.js', [secret], production);
  const env = {
    ...production,
    DATA_DIR: dataDir,
    ...store,
    SECRET_KEY: randomBytes(32).toString('base64'),
    PORT: '0',
    PLATFORM_URL: platform.url,
    PLATFORM_KIND: 'sandbox',
    LOG_LEVEL: 'error',
    RATE_LIMIT: '0',
    FAILED_CALL_RATE_LIMIT: '0',
    UNAUTHENTICATED_RATE_LIMIT: '0',
    ALLOW_LOCALHOST_WEBHOOKS: 'true',
    POLLER_EVENTS_PER_MINUTE: '1000000',
    POLLER_EVENTS_PER_DAY: '1000000000',
  };
  const gateway = await startGateway(env);
  const keys = (await makeAccounts(env, callers, credit)).map(({ key }) => key);
  pin(gateway.child.pid, gatewayCore);
  const { accounts: actors } = await post(`${sandbox.url}/control/accounts`, { count: actorCount });
  const parts = { sandbox, platform, receiver, gateway, keys, actors, turn: 0 };
  for (const [index, actor] of actors.entries()) await addWebhook(parts, keys[index % keys.length], actor);
  return parts;
}

/** Returns the id of a tweet that every call can read and like. */
export async function aTweet({ sandbox, actors }) {
  const cookie = { headers: { cookie: `auth_token=${actors[0].authToken}` } };
  const { tweets } = await (await fetch(`${sandbox.url}/api/search?q=from:grace&count=1`, cookie)).json();
  return tweets[0].id;
}

async function addWebhook({ gateway, receiver }, key, actor) {
  const headers = { authorization: `Bearer ${key}`, 'x-auth-token': actor.authToken };
  const webhook = { url: `${receiver.url}/hook`, secret, events: ['user.follow'] };
  const { data, error } = await post(`${gateway.url}/v1/webhooks`, webhook, headers);
  if (!data?.valid) throw new Error(`the webhook is not valid: ${error}`);
}

/** Makes the platform report `count` events of one actor, of another one each time. */
export async function happen(parts, count) {
  const { userName } = parts.actors[parts.turn++ % actorCount];
  await post(`${parts.sandbox.url}/control/events`, { type: 'follow', userName, count });
}

/** Waits until the receiver has got this number of events since it forgot all. */
export async function allArrived({ receiver }, count) {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const seen = await (await fetch(`${receiver.url}/count`)).json();
    if (seen.count >= count) return;
    if (performance.now() > deadline) throw new Error(`${seen.count} of ${count} events arrived within a minute`);
    await sleep(20);
  }
}

export async function forget({ receiver }) {
  await fetch(`${receiver.url}/forget`);
}

async function post(url, body, headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return response.json();
}

/** Returns a function for each kind of call, which returns the request of a caller. */
export function callsOf({ keys, actors: [actor] }, tweetId) {
  const headers = (caller) => ({ authorization: `Bearer ${keys[caller]}`, 'x-auth-token': actor.authToken });
  const get = (path) => (caller) => ({ method: 'GET', path: `/v1${path}`, headers: headers(caller) });
  const send = (path, body) => {
    const text = JSON.stringify(body);
    return (caller) => ({
      method: 'POST',
      path,
      headers: { ...headers(caller), 'content-type': 'application/json', accept: 'application/json' },
      body: text,
    });
  };
  const query =
    '{ user(userName: "grace") { name followersCount tweets(first: 10) { nodes { text likeCount author { userName } } } } }';
  const mutation = `mutation { likeTweet(input: { tweetId: "${tweetId}" }) { tweetId } }`;
  return {
    search: get('/tweet/advanced_search?q=from:grace&count=20'),
    profile: get('/user/info?userName=grace'),
    tweet: get(`/tweet/detail?tweet_id=${tweetId}`),
    like: send('/v1/tweet/favorite', { tweet_id: tweetId }),
    query: send('/graphql', { query }),
    mutation: send('/graphql', { query: mutation }),
  };
}

/** The shares of the kinds of calls. The share of `event` is the number of events for each call. */
export const mixes = {
  'reads over REST': { search: 0.5, profile: 0.3, tweet: 0.2 },
  'reads and writes over REST, 80 to 20': { search: 0.4, profile: 0.24, tweet: 0.16, like: 0.2 },
  'GraphQL with webhook events': { query: 0.8, mutation: 0.2, event: 0.1 },
};

export async function stopParts({ sandbox, platform, receiver, gateway }) {
  for (const part of [gateway, platform, sandbox, receiver]) await stop(part);
}

/** Returns a random kind of call of a mix. */
export function drawKind(shares, random) {
  const kinds = Object.keys(shares).filter((kind) => kind !== 'event');
  let drawn = random();
  for (const kind of kinds) {
    drawn -= shares[kind];
    if (drawn < 0) return kind;
  }
  return kinds[0];
}

/**
 * The platform reports `size` events at once; when they have arrived, this is repeated. Returns the processor time of the gateway for each event
 * and its delivery, without that at rest.
 */
export async function eventBursts(parts, { size, seconds, restCpu }) {
  await forget(parts);
  const cpu = () => usageOf(parts.gateway.child.pid).cpuSeconds;
  const times = [];
  const before = cpu();
  const startedAt = performance.now();
  while (performance.now() - startedAt < seconds * 1_000) {
    const happenedAt = performance.now();
    await happen(parts, size);
    await allArrived(parts, (times.length + 1) * size);
    times.push(performance.now() - happenedAt);
  }
  const elapsed = (performance.now() - startedAt) / 1_000;
  const cpuMs = ((cpu() - before - restCpu * elapsed) * 1_000) / (times.length * size);
  times.sort((a, b) => a - b);
  return { events: times.length * size, cpuMs, p50: times[Math.floor((times.length - 1) / 2)] };
}
