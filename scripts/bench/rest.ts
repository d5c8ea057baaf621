// Measures the speed of REST as a ratio to minimal servers, alternating in one run.
import { readArguments } from './frame.ts';
import { compareLoad, type Scenario, showRatio } from './load.ts';
import { start, startGateway, stopAll } from './processes.ts';

const callers = 64;
const values = readArguments(
  `npm run bench -- rest [--rounds 6] [--seconds 2]

Searches (20 tweets), reads a page of followers (20 users) and posts a tweet with ${callers} callers, then searches with one caller.
Each call goes to Postern, a bare node:http server and bare Express 5 in alternation (A B C, B C A, …), with one sandbox. Prints
requests a second, latencies, processor time a request (all threads of the server), and the ratios with their lowest and highest
round.`,
  { rounds: { type: 'string', default: '6' }, seconds: { type: 'string', default: '2' } },
);

const { sandbox, gateway, headers } = await startGateway();
const servers = {
  postern: gateway,
  http: await start('bench/bare-server.ts', ['http', sandbox.url]),
  express: await start('bench/bare-server.ts', ['express', sandbox.url]),
};

let posted = 0;
const search = await page('/v1/tweet/advanced_search?q=from:grace&count=20', 'tweets');
const scenarios: Record<string, Scenario> = {
  // The first scenario has a longer warm-up. V8 needs about 10,000 requests to optimise the code that all scenarios use.
  search: { ...search, concurrency: callers, warmUpMs: 10_000 },
  followers: { ...(await page('/v1/user/followers?userName=grace&count=20', 'followers')), concurrency: callers },
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
  const { postern, http, express } = await compareLoad(name, servers, scenario, values);
  for (const [other, beside] of [
    [http, 'bare node:http'],
    [express, 'bare Express'],
  ] as const) {
    if (scenario.concurrency > 1) showRatio(`requests a second beside ${beside}`, 'perSecond', postern, other);
    else showRatio(`p50 beside ${beside}`, 'p50', postern, other);
    showRatio(`processor time beside ${beside}`, 'cpuMs', postern, other);
  }
}
await stopAll();

interface Answer {
  data: Record<string, { id: string }[]>;
}

/** Returns a read that checks every body: the first and the last of 20 items must be complete. */
async function page(path: string, items: string): Promise<Pick<Scenario, 'request' | 'check'>> {
  const answer = await fetch(gateway.url + path, { headers });
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
