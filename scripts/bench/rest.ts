// Measures the speed of REST as a ratio to minimal servers, alternating in one run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Demo } from '../../src/api/demo/demo.ts';
import { alternate, readArguments, roundMs } from './frame.ts';
import { type Load, type LoadResult, load, showRatio, showResults } from './load.ts';
import { makeRichAccount, type Started, start, startSandbox, stopAll, temporaryFolder } from './processes.ts';

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
const sandbox = await startSandbox();
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
const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as Demo;
const headers = {
  authorization: `Bearer ${makeRichAccount(dataDir).key}`,
  'x-auth-token': demo.accounts[0]?.authToken ?? '',
};

let posted = 0;
interface Scenario extends Pick<Load, 'request' | 'check' | 'concurrency'> {
  warmUpMs?: number;
}

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
    load({ server, ...scenario, durationMs: roundMs(round, durationMs, scenario.warmUpMs) }),
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

function report(scenario: string, results: Record<Name, LoadResult[]>, concurrency: number): void {
  process.stdout.write(`${scenario}\n`);
  showResults(results);
  for (const [other, beside] of [
    ['http', 'bare node:http'],
    ['express', 'bare Express'],
  ] as const) {
    if (concurrency > 1) showRatio(`requests a second beside ${beside}`, 'perSecond', results.postern, results[other]);
    else showRatio(`p50 beside ${beside}`, 'p50', results.postern, results[other]);
    showRatio(`processor time beside ${beside}`, 'cpuMs', results.postern, results[other]);
  }
}
