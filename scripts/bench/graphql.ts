// Measures the speed of GraphQL as ratios to plain Yoga, to Apollo Server and to REST, alternating in one run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alternate, median, readArguments, roundMs, type Spread, showSpread, spread } from './frame.ts';
import { type LoadResult, load } from './load.ts';
import { makeRichAccount, processorSeconds, type Started, start, stopAll, temporaryFolder } from './processes.ts';
import { compareJourneys, journeys } from './round-trips.ts';

const values = readArguments(
  `npm run bench -- graphql [--rounds 9] [--seconds 2] [--concurrency 64] [--latency 20]

Reads a user, 20 tweets and their authors with one query from Postern, from a bare Yoga and from Apollo Server on Express 5, in
alternation (A B C, B C A, …). The resolvers of the other two make the same calls to the same sandbox. Prints requests a second, latencies,
processor time a request (all threads of the server), and the ratios with their lowest and highest round. Then reads the
same data by REST calls, one after the other, and by one query, with --latency milliseconds between caller and server.
Exits with 1 if a goal is missed.`,
  {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '2' },
    concurrency: { type: 'string', default: '64' },
    latency: { type: 'string', default: '20' },
  },
);
const [rounds, concurrency, latencyMs] = [Number(values.rounds), Number(values.concurrency), Number(values.latency)];
const durationMs = Number(values.seconds) * 1_000;

const goals = { yoga: 0.9, apollo: 1.25, rest: 3 };
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
type Name = 'postern' | 'yoga' | 'apollo';
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
  yoga: await start('bench/bare-graphql.ts', ['yoga', sandbox.url], production),
  apollo: await start('bench/bare-graphql.ts', ['apollo', sandbox.url], production),
};
const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
const headers = { authorization: `Bearer ${makeRichAccount(dataDir).key}`, 'x-auth-token': demo.accounts[0].authToken };

const asked = {
  method: 'POST' as const,
  path: '/graphql',
  headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
  body: JSON.stringify({ query }),
};
const reached = [compareServers(await measureServers(await theAnswers())), await compareRest()].flat();
await stopAll();
if (reached.includes(false)) process.exitCode = 1;

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

function compareServers(results: Record<Name, Result[]>): boolean[] {
  process.stdout.write('a user, 20 tweets and their authors\n');
  for (const [name, all] of Object.entries(results)) {
    const of = (figure: keyof Result) => median(all.map((result) => result[figure])).toFixed(2);
    process.stdout.write(
      `  ${name.padEnd(8)} ${of('perSecond')}/s, p50 ${of('p50')} ms, p99 ${of('p99')} ms, ${of('cpuMs')} ms of processor a request\n`,
    );
  }
  return (['yoga', 'apollo'] as const).map((other) => {
    const ratios = (of: (ours: Result, theirs: Result) => number) =>
      spread(results[other].map((theirs, i) => of(results.postern[i] ?? theirs, theirs)));
    const cpu = ratios((ours, theirs) => ours.cpuMs / theirs.cpuMs);
    const beside = `beside ${other === 'yoga' ? 'bare Yoga' : 'Apollo Server on Express'}`;
    return verdict(
      `requests a second ${beside}`,
      ratios((ours, theirs) => ours.perSecond / theirs.perSecond),
      goals[other],
      `; processor time ${showSpread(cpu)}`,
    );
  });
}

async function compareRest(): Promise<boolean[]> {
  const reached: boolean[] = [];
  for (const [name, journey] of Object.entries(journeys)) {
    const options = { origin: subjects.postern.url, headers, latencyMs, times: Math.max(5, rounds) };
    const { rest, graphql, calls } = await compareJourneys(journey, options);
    process.stdout.write(`${name}, ${latencyMs} ms away\n`);
    process.stdout.write(`  rest     ${median(rest).toFixed(1)} ms, ${calls} calls\n`);
    process.stdout.write(`  graphql  ${median(graphql).toFixed(1)} ms, 1 query\n`);
    reached.push(
      verdict(
        `${name}: time by REST calls beside one query`,
        spread(rest.map((ms, i) => ms / (graphql[i] ?? Number.NaN))),
        goals.rest,
      ),
    );
  }
  return reached;
}

function verdict(label: string, ratios: Spread, goal: number, note = ''): boolean {
  const isReached = ratios.value >= goal;
  const outcome = `goal ${goal} ${isReached ? 'reached' : 'MISSED'}`;
  process.stdout.write(`  ${label}: ${showSpread(ratios)}, ${outcome}${note}\n`);
  return isReached;
}
