// Measures the speed of GraphQL as a ratio to plain Yoga, alternating in one run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Demo } from '../../src/api/demo/demo.ts';
import { alternate, median, readArguments, roundMs, showSpread, spread } from './frame.ts';
import { type LoadResult, load } from './load.ts';
import { makeRichAccount, processorSeconds, type Started, start, stopAll, temporaryFolder } from './processes.ts';

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
const sandbox = await start('postern.js', ['sandbox'], {
  ...production,
  DATA_DIR: temporaryFolder(),
  SANDBOX_PORT: '0',
  SANDBOX_ACTIVITY: '0',
});
type Name = 'postern' | 'yoga';
type Result = LoadResult & { cpuMs: number };
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

function measureServers(beginnings: Record<string, string>): Promise<Record<Name, Result[]>> {
  return alternate(subjects, rounds, async (server, name, round) => {
    const check = (body: string) => {
      if (!body.startsWith(beginnings[name] ?? '')) throw new Error(`not the answer: ${body}`);
    };
    const before = processorSeconds(server);
    const result = await load({
      origin: server.url,
      request: () => asked,
      concurrency,
      durationMs: roundMs(round, durationMs),
      check,
    });
    return { ...result, cpuMs: ((processorSeconds(server) - before) / result.requests) * 1_000 };
  });
}

function compareServers(results: Record<Name, Result[]>): boolean {
  process.stdout.write('a user, 20 tweets and their authors\n');
  for (const [name, all] of Object.entries(results)) {
    const of = (figure: keyof Result) => median(all.map((result) => result[figure])).toFixed(2);
    process.stdout.write(
      `  ${name.padEnd(8)} ${of('perSecond')}/s, p50 ${of('p50')} ms, p99 ${of('p99')} ms, ${of('cpuMs')} ms of processor a request\n`,
    );
  }
  const ratios = (of: (ours: Result, theirs: Result) => number) =>
    spread(results.yoga.map((theirs, i) => of(results.postern[i] ?? theirs, theirs)));
  const speed = ratios((ours, theirs) => ours.perSecond / theirs.perSecond);
  const cpu = ratios((ours, theirs) => ours.cpuMs / theirs.cpuMs);
  const isReached = speed.value >= goal;
  process.stdout.write(
    `  requests a second beside bare Yoga: ${showSpread(speed)}, goal ${goal} ${isReached ? 'reached' : 'MISSED'}; processor time ${showSpread(cpu)}\n`,
  );
  return isReached;
}
