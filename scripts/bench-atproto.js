#!/usr/bin/env node
// Measures the time that Postern adds to a call on the AT Protocol, beside the same call to the account's own server (PDS).
import { Pool } from 'undici';
import { hasAtprotoNetwork, joinNetwork, startAtprotoNetwork } from './atproto-network.js';
import { median, readArguments, recordResults } from './bench/frame.js';
import { makeRichAccount, processorSeconds, start, stopAll, temporaryFolder } from './bench/processes.js';

const warmUps = 5;
const pageSize = 20;

const values = readArguments(
  `npm run bench:atproto -- [--calls 50] [--json]

Starts the AT Protocol's own servers and Postern, and makes each kind of call \`calls\` times to the server of the account and through
Postern, in alternation. Prints the median and the 95th percentile of both, the median of what Postern added to each pair, and
Postern's processor time and requests for a call. Without the servers (.ci/atproto/install) it measures nothing.`,
  { calls: { type: 'string', default: '50' }, json: { type: 'boolean', default: false } },
);
const calls = Number(values.calls);
if (!hasAtprotoNetwork()) {
  process.stdout.write("left out, because the AT Protocol's servers are not installed: .ci/atproto/install\n");
  process.exit();
}

const network = await startAtprotoNetwork();
try {
  const results = await measureAll();
  record(results);
  if (values.json) process.stdout.write(`${JSON.stringify({ calls, results }, null, 2)}\n`);
  else print(results);
} finally {
  await stopAll();
  await network.stop();
}

async function measureAll() {
  const ada = await joinNetwork(network, 'ada');
  // Each like needs a post of its own.
  const grace = await joinNetwork(network, 'grace', 2 * (calls + warmUps));
  const dataDir = temporaryFolder();
  const service = await start('postern.js', ['serve'], {
    ...network.settings,
    DATA_DIR: dataDir,
    PORT: '0',
    RATE_LIMIT: '0',
  });
  const { key } = makeRichAccount(dataDir);
  const direct = clientOf(network.pdsUrl, '/xrpc/', { authorization: `Bearer ${ada.accessJwt}` });
  const postern = clientOf(service.url, '/v1/', { authorization: `Bearer ${key}`, 'x-auth-token': ada.authToken });

  const posts = await postsOf(grace, direct, postern);
  const nextPost = () => posts.pop();
  const create = (collection, record) =>
    direct.post('com.atproto.repo.createRecord', {
      repo: ada.did,
      collection,
      record: { ...record, createdAt: new Date().toISOString() },
    });
  let texts = 0;
  const nextText = () => `Post ${++texts} of a benchmark`;
  const kinds = {
    profile: [
      () => direct.get('app.bsky.actor.getProfile', { actor: grace.handle }),
      () => postern.get('user/info', { userName: grace.handle }),
    ],
    search: [
      () => direct.get('app.bsky.feed.searchPosts', { q: `from:${grace.handle}`, limit: pageSize }),
      () => postern.get('tweet/advanced_search', { q: `from:${grace.handle}`, count: pageSize }),
    ],
    timeline: [
      () => direct.get('app.bsky.feed.getTimeline', { limit: pageSize }),
      () => postern.post('user/home_timeline', { count: pageSize }),
    ],
    like: [
      () => {
        const { uri, cid } = nextPost();
        return create('app.bsky.feed.like', { subject: { uri, cid } });
      },
      () => postern.post('tweet/favorite', { tweet_id: nextPost().id }),
    ],
    post: [
      () => create('app.bsky.feed.post', { text: nextText() }),
      () => postern.post('tweet/create', { text: nextText() }),
    ],
  };
  await postern.post('user/follow', { username: grace.handle });
  const results = {};
  for (const [name, pair] of Object.entries(kinds)) results[name] = await measure(service, pair);
  await Promise.all([direct.close(), postern.close()]);
  return results;
}

/** Makes both calls in alternation, one at a time. Which of the two is first alternates, too. */
async function measure(service, [direct, postern]) {
  for (let i = 0; i < warmUps; i++) for (const call of [direct, postern]) await call();
  const timesOf = new Map([direct, postern].map((call) => [call, []]));
  const [cpuBefore, requestsBefore] = [processorSeconds(service), await platformRequests(service)];
  for (let i = 0; i < calls; i++) {
    for (const call of i % 2 === 0 ? [direct, postern] : [postern, direct]) {
      const sentAt = performance.now();
      await call();
      timesOf.get(call).push(performance.now() - sentAt);
    }
  }
  const [cpu, requests] = [processorSeconds(service) - cpuBefore, (await platformRequests(service)) - requestsBefore];
  const [ofDirect, ofPostern] = [timesOf.get(direct), timesOf.get(postern)];
  return {
    direct: figures(ofDirect),
    postern: figures(ofPostern),
    added: median(ofPostern.map((ms, i) => ms - ofDirect[i])),
    cpuMs: (1_000 * cpu) / calls,
    requests: requests / calls,
  };
}

function figures(times) {
  const sorted = [...times].sort((a, b) => a - b);
  return { median: median(times), p95: sorted[Math.floor((sorted.length - 1) * 0.95)] };
}

/** Returns the number of requests that Postern has sent to the platform. */
async function platformRequests({ url }) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = text.matchAll(/^postern_platform_requests_total\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** A client that keeps one connection and returns the JSON of a response. */
function clientOf(origin, prefix, headers) {
  const pool = new Pool(origin, { connections: 1 });
  const send = async (method, path, body) => {
    const type = body && { 'content-type': 'application/json' };
    const response = await pool.request({ method, path: prefix + path, headers: { ...headers, ...type }, body });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${text}`);
    return JSON.parse(text);
  };
  return {
    get: (path, query) => send('GET', `${path}?${new URLSearchParams(query)}`),
    post: (path, body) => send('POST', path, JSON.stringify(body)),
    close: () => pool.close(),
  };
}

/** Returns the posts of an account with their ids at both. */
async function postsOf({ did, handle }, direct, postern) {
  const cids = new Map();
  for (let cursor = ''; cursor !== undefined; ) {
    const query = { repo: did, collection: 'app.bsky.feed.post', limit: 100, ...(cursor && { cursor }) };
    const page = await direct.get('com.atproto.repo.listRecords', query);
    for (const { uri, cid } of page.records) cids.set(uri, cid);
    cursor = page.cursor;
  }
  const posts = [];
  for (let cursor = ''; cursor !== null; ) {
    const query = { userName: handle, count: 100, ...(cursor && { cursor }) };
    const { data } = await postern.get('user/tweets_and_replies', query);
    for (const { id, platformUrl: uri } of data.tweets) posts.push({ id, uri, cid: cids.get(uri) });
    cursor = data.next_cursor;
  }
  return posts;
}

function record(results) {
  const entries = Object.entries(results);
  recordResults({
    metrics: entries.flatMap(([name, { added, cpuMs }]) => [
      { id: `atproto.${name}.added`, label: `${name}: added time`, value: added, unit: 'ms', better: 'lower' },
      {
        id: `atproto.${name}.cpu`,
        label: `${name}: processor time of Postern`,
        value: cpuMs,
        unit: 'ms',
        better: 'lower',
      },
    ]),
    charts: [
      {
        title: 'Time of a call (median)',
        unit: 'ms',
        categories: entries.map(([name]) => name),
        series: ['postern', 'direct'].map((name) => ({
          name,
          values: entries.map(([, result]) => result[name].median),
        })),
      },
    ],
  });
}

function print(results) {
  const widths = [10, 12, 12, 14, 14, 10, 16, 10];
  const line = (cells) => process.stdout.write(`${cells.map((cell, i) => cell.padEnd(widths[i])).join('')}\n`);
  line(['', 'PDS, ms', 'p95', 'Postern, ms', 'p95', 'added', 'processor, ms', 'requests']);
  for (const [name, { direct, postern, added, cpuMs, requests }] of Object.entries(results)) {
    const times = [direct.median, direct.p95, postern.median, postern.p95, added, cpuMs, requests];
    line([name, ...times.map((value) => value.toFixed(1))]);
  }
}
