// Measures the time from start to the first response and the memory at rest, compared with a minimal program with Express and Yoga.
import { setTimeout as sleep } from 'node:timers/promises';
import { readDemo } from '../../test/support/demo.ts';
import { readArguments, type Spread, spread } from './frame.ts';
import { mebibytes, processorSeconds, type Settings, start, stop, temporaryFolder } from './processes.ts';

const values = readArguments(
  `npm run bench -- start [--rounds 5] [--rest 5]

Starts a bare server (Express and Yoga in one file) and Postern with its sandbox and an empty DATA_DIR in alternation, and measures
each from the start of its process: the time and the processor time until a REST request is answered, the resident memory
--rest seconds later, then the time that the first GraphQL request takes and the memory after it. Postern's requests are priced calls that
read the sandbox. Prints the median of all rounds with the lowest and the highest value.`,
  {
    rounds: { type: 'string', default: '5' },
    rest: { type: 'string', default: '5' },
  },
);
const rounds = Number(values.rounds);
const restMs = Number(values.rest) * 1_000;

const query = JSON.stringify({ query: '{ user(userName: "grace") { name } }' });
type Name = 'bare' | 'postern';
type Figures = Record<string, number>;

interface Subject {
  script: string;
  env: Settings;
  headers: () => Record<string, string>;
}

const subjects: Record<Name, () => Subject> = {
  bare: () => ({ script: 'bench/bare-start.ts', env: {}, headers: () => ({}) }),
  postern: () => {
    const folder = temporaryFolder();
    const headers = () => {
      const { apiKey, accounts } = readDemo(folder);
      return { authorization: `Bearer ${apiKey}`, 'x-auth-token': accounts[0].authToken };
    };
    return {
      script: 'postern.js',
      env: { DATA_DIR: folder, PORT: '0', SANDBOX_PORT: '0', LOG_LEVEL: 'warn' },
      headers,
    };
  },
};

const results: Record<Name, Figures[]> = { bare: [], postern: [] };
for (let round = 0; round < rounds; round++) {
  for (const name of ['bare', 'postern'] as const) results[name].push(await measure(subjects[name]()));
}
const show = ({ value, low, high }: Spread) => `${value.toFixed(0)} (${low.toFixed(0)} to ${high.toFixed(0)})`;
process.stdout.write(`${''.padEnd(28)}${'bare'.padEnd(22)}${'Postern'.padEnd(22)}ratio\n`);
for (const figure of Object.keys(results.bare[0] ?? {})) {
  const of = (all: Figures[]) => spread(all.map((one) => one[figure] ?? Number.NaN));
  const [bare, postern] = [of(results.bare), of(results.postern)];
  const ratio = (postern.value / bare.value).toFixed(2);
  process.stdout.write(`${figure.padEnd(28)}${show(bare).padEnd(22)}${show(postern).padEnd(22)}${ratio}\n`);
}

async function measure({ script, env, headers }: Subject): Promise<Figures> {
  const startedAt = performance.now();
  const server = await start(script, ['serve'], { NODE_ENV: 'production', ...env });
  const own = headers();
  await request(`${server.url}/v1/user/info?userName=grace`, { headers: own });
  const firstAnswer = performance.now() - startedAt;
  const processor = processorSeconds(server) * 1_000;
  await sleep(restMs);
  const atRest = mebibytes(server);
  const askedAt = performance.now();
  await request(`${server.url}/graphql`, {
    method: 'POST',
    body: query,
    headers: { ...own, 'content-type': 'application/json' },
  });
  const graphql = performance.now() - askedAt;
  const afterGraphql = mebibytes(server);
  await stop(server);
  return {
    'first answer, ms': firstAnswer,
    'processor time, ms': processor,
    'memory at rest, MiB': atRest,
    'first GraphQL answer, ms': graphql,
    'memory after GraphQL, MiB': afterGraphql,
  };
}

async function request(url: string, init: RequestInit): Promise<void> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (response.status !== 200 || !text.includes('"name"')) throw new Error(`${url}: ${response.status} ${text}`);
}
