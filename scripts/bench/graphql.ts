// Measures the speed of GraphQL as a ratio to plain Yoga, alternating in one run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Demo } from '../../src/api/demo/demo.ts';
import { alternate, readArguments, roundMs } from './frame.ts';
import { type LoadResult, load, showRatio, showResults } from './load.ts';
import { makeRichAccount, type Started, start, startSandbox, stopAll, temporaryFolder } from './processes.ts';

const values = readArguments(
  `npm run bench -- graphql [--rounds 9] [--seconds 2] [--concurrency 64]

Reads a user, 20 tweets and their authors with one query from Postern and from a bare Yoga, in alternation. The resolvers
of the bare Yoga make the same calls to the same sandbox. Prints requests a second, latencies, processor time a request (all threads of the
server), and the ratios with their lowest and highest round. Exits with 1 if the goal is missed.`,
  {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '2' },
    concurrency: { type: 'string', default: '64' },
  },
);
const [rounds, concurrency] = [Number(values.rounds), Number(values.concurrency)];
const durationMs = Number(values.seconds) * 1_000;

const goal = 0.9;
const query = `{ user(userName: "grace") { userName followersCount tweets(first: 20) { edges { node {
  text likeCount createdAt author { userName name followersCount }
} } pageInfo { hasNextPage endCursor } } } }`;

const production = { NODE_ENV: 'production' };
const dataDir = temporaryFolder();
const sandbox = await startSandbox(production);
type Name = 'postern' | 'yoga';
const subjects: Record<Name, Started> = {
  postern: await start('postern.js', ['serve'], {
    ...production,
    DATA_DIR: dataDir,
    PORT: '0',
    PLATFORM_URL: sandbox.url,
    PLATFORM_KIND: 'sandbox',
    // The limit is counted but never reached.
    RATE_LIMIT: '1000000000',
  }),
  yoga: await start('bench/bare-graphql.ts', [sandbox.url], production),
};
const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo;
const headers = {
  authorization: `Bearer ${makeRichAccount(dataDir).key}`,
  'x-auth-token': demo.accounts[0]?.authToken ?? '',
};

const asked = {
  method: 'POST' as const,
  path: '/graphql',
  headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
  body: JSON.stringify({ query }),
};
const isReached = compareServers(await measureServers(await theAnswers()));
await stopAll();
if (!isReached) process.exitCode = 1;

/** Sends one request to each server and checks that the responses agree. Returns the beginning of each body up to its cursor. */
async function theAnswers(): Promise<Record<string, string>> {
  const beginnings: Record<string, string> = {};
  for (const [name, { url }] of Object.entries(subjects)) {
    const body = await (await fetch(url + asked.path, asked)).text();
    if (JSON.parse(body).data?.user?.tweets?.edges?.length !== 20) throw new Error(`${name} does not answer 20 tweets`);
    beginnings[name] = body.slice(0, body.indexOf('"endCursor"'));
  }
  // Timestamps of tweets have whole seconds in the API (docs/rest.md, Responses) and milliseconds on the platform.
  const same = new Set(Object.values(beginnings).map((text) => text.replaceAll(/\.\d{3}Z/g, '.000Z')));
  if (same.size !== 1) throw new Error('the servers answer differently');
  return beginnings;
}

function measureServers(beginnings: Record<string, string>): Promise<Record<Name, LoadResult[]>> {
  return alternate(subjects, rounds, async (server, name, round) => {
    const check = (body: string) => {
      if (!body.startsWith(beginnings[name] ?? '')) throw new Error(`not the answer: ${body}`);
    };
    return load({ server, request: () => asked, concurrency, durationMs: roundMs(round, durationMs), check });
  });
}

function compareServers({ postern, yoga }: Record<Name, LoadResult[]>): boolean {
  process.stdout.write('a user, 20 tweets and their authors\n');
  showResults({ postern, yoga });
  showRatio('processor time beside bare Yoga', 'cpuMs', postern, yoga);
  const { value } = showRatio('requests a second beside bare Yoga', 'perSecond', postern, yoga);
  process.stdout.write(`  goal ${goal} ${value >= goal ? 'reached' : 'MISSED'}\n`);
  return value >= goal;
}
