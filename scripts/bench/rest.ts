// Measures the speed of REST as a ratio to minimal servers, alternating in one run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alternate, median, readArguments, roundMs, showSpread, spread } from './frame.ts';
import { type Load, type LoadResult, load } from './load.ts';
import { makeRichAccount, processorSeconds, type Started, start, stopAll, temporaryFolder } from './processes.ts';

const values = readArguments(
  `npm run bench -- rest [--rounds 6] [--seconds 2] [--concurrency 64]

Searches (20 tweets), reads a page of followers (20 users) and posts a tweet with --concurrency callers, then searches with one caller.
Each call goes to Postern, a bare node:http server and bare Express 5 in alternation (A B C, B C A, …), with one sandbox. Prints
requests a second, latencies, processor time a request (all threads of the server), and the ratios with their lowest and highest
round.`,
  {
    rounds: { type: 'string', default: '6' },
    seconds: { type: 'string', default: '2' },
    concurrency: { type: 'string', default: '64' },
  },
);
const rounds = Number(values.rounds);
const durationMs = Number(values.seconds) * 1_000;
const callers = Number(values.concurrency);

const dataDir = temporaryFolder();
const sandbox = await start('postern.js', ['sandbox'], { DATA_DIR: temporaryFolder(), SANDBOX_PORT: '0' });
type Name = 'postern' | 'http' | 'express';
const subjects: Record<Name, Started> = {
  postern: await start('postern.js', ['serve'], {
    DATA_DIR: dataDir,
    PORT: '0',
    PLATFORM_URL: sandbox.url,
    PLATFORM_KIND: 'sandbox',
  }),
  http: await start('bench/bare-server.ts', ['http', sandbox.url]),
  express: await start('bench/bare-server.ts', ['express', sandbox.url]),
};
const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
const headers = {
  authorization: `Bearer ${makeRichAccount(dataDir).key}`,
  'x-auth-token': demo.accounts[0].authToken,
};

let posted = 0;
interface Scenario extends Pick<Load, 'request' | 'check' | 'concurrency'> {
  warmUpMs?: number;
}
type Result = LoadResult & { cpuMs: number };

const search = await page('/v1/tweet/advanced_search?q=from:grace&count=20', 'tweets');
const scenarios: Record<string, Scenario> = {
  // The first scenario has a longer warm-up. V8 needs about 10,000 requests to optimise the code that all scenarios use.
  search: { ...search, concurrency: callers, warmUpMs: 10_000 },
  followers: {
    ...(await page('/v1/user/followers?userName=grace&count=20', 'followers')),
    concurrency: callers,
  },
  write: {
    concurrency: callers,
    warmUpMs: 2_000,
    request: () => ({
      method: 'POST' as const,
      path: '/v1/tweet/create',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ text: `Tweet ${++posted} of a bench` }),
    }),
    check: (body, { body: sent }) => {
      if (!body.includes(JSON.parse(sent ?? '').text)) throw new Error('a body is not the tweet that was posted');
    },
  },
  'search, one caller': { ...search, concurrency: 1 },
};

for (const [name, scenario] of Object.entries(scenarios)) {
  const results = await alternate(subjects, rounds, (server, _name, round) =>
    measure(server, scenario, roundMs(round, durationMs, scenario.warmUpMs)),
  );
  report(name, results, scenario.concurrency);
}
await stopAll();

interface Answer {
  data: Record<string, { id: string }[]>;
}

/** Returns a read that checks every body: the first and the last of 20 items must be complete. */
async function page(path: string, items: string): Promise<Pick<Load, 'request' | 'check'>> {
  const answer = await fetch(subjects.postern.url + path, { headers });
  const [first = '', ...ids] = ((await answer.json()) as Answer).data[items]?.map(({ id }) => id) ?? [];
  const last = ids.at(-1) ?? '';
  if (ids.length !== 19) throw new Error(`${path} has ${ids.length + 1} items instead of 20`);
  return {
    request: () => ({ method: 'GET' as const, path, headers }),
    check: (body) => {
      if (!body.includes(first) || !body.includes(last) || !body.endsWith('}')) throw new Error('not the page');
    },
  };
}

async function measure(server: Started, scenario: Scenario, lastsMs: number): Promise<Result> {
  const before = processorSeconds(server);
  const result = await load({ origin: server.url, durationMs: lastsMs, ...scenario });
  return { ...result, cpuMs: ((processorSeconds(server) - before) / result.requests) * 1_000 };
}

function report(scenario: string, results: Record<Name, Result[]>, concurrency: number): void {
  process.stdout.write(`${scenario}\n`);
  for (const [name, each] of Object.entries(results)) {
    const of = (figure: keyof Result) => median(each.map((result) => result[figure])).toFixed(2);
    process.stdout.write(
      `  ${name.padEnd(8)} ${of('perSecond')}/s, p50 ${of('p50')} ms, p99 ${of('p99')} ms, ${of('cpuMs')} ms of processor a request\n`,
    );
  }
  for (const other of ['http', 'express'] as const) {
    const ratios = (of: (ours: Result, theirs: Result) => number) =>
      spread(results[other].map((theirs, i) => of(results.postern[i] ?? theirs, theirs)));
    const beside = `beside ${other === 'http' ? 'bare node:http' : 'bare Express'}`;
    const speed = ratios((ours, theirs) => ours.perSecond / theirs.perSecond);
    const latency = ratios((ours, theirs) => ours.p50 / theirs.p50);
    process.stdout.write(
      concurrency > 1
        ? `  requests a second ${beside}: ${showSpread(speed)}\n`
        : `  p50 ${beside}: ${showSpread(latency)}\n`,
    );
    const cpu = ratios((ours, theirs) => ours.cpuMs / theirs.cpuMs);
    process.stdout.write(`  processor time ${beside}: ${showSpread(cpu)}\n`);
  }
}
