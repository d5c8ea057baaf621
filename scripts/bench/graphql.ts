// Measures the speed of GraphQL as a ratio to plain Yoga, alternating in one run.
import { readArguments } from './frame.ts';
import { compareLoad, showRatio } from './load.ts';
import { start, startGateway, stopAll } from './processes.ts';

const values = readArguments(
  `npm run bench -- graphql [--rounds 9] [--seconds 2]

Reads a user, 20 tweets and their authors with one query from Postern and from a bare Yoga, in alternation. The resolvers
of the bare Yoga make the same calls to the same sandbox. Prints requests a second, latencies, processor time a request (all threads of the
server), and the ratios with their lowest and highest round. Exits with 1 if the goal is missed.`,
  { rounds: { type: 'string', default: '9' }, seconds: { type: 'string', default: '2' } },
);
const goal = 0.9;
const query = `{ user(userName: "grace") { userName followersCount tweets(first: 20) { edges { node {
  text likeCount createdAt author { userName name followersCount }
} } pageInfo { hasNextPage endCursor } } } }`;

const production = { NODE_ENV: 'production' };
// The rate limit is counted but never reached.
const { sandbox, gateway, headers } = await startGateway({ ...production, RATE_LIMIT: '1000000000' });
const servers = { postern: gateway, yoga: await start('bench/bare-graphql.ts', [sandbox.url], production) };
const asked = {
  method: 'POST' as const,
  path: '/graphql',
  headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
  body: JSON.stringify({ query }),
};
const beginnings = await Promise.all(Object.values(servers).map(({ url }) => beginningOf(url)));
// Timestamps of tweets have whole seconds in the API (docs/rest.md, Responses) and milliseconds on the platform.
const different = new Set(beginnings.map((text) => text.replaceAll(/\.\d{3}Z/g, '.000Z')));
if (different.size !== 1) throw new Error('the servers answer differently');

const scenario = {
  request: () => asked,
  check: (body: string) => {
    if (!beginnings.some((text) => body.startsWith(text))) throw new Error(`not the answer: ${body}`);
  },
  concurrency: 64,
};
const { postern, yoga } = await compareLoad('a user, 20 tweets and their authors', servers, scenario, values);
showRatio('processor time beside bare Yoga', 'cpuMs', postern, yoga);
const { value } = showRatio('requests a second beside bare Yoga', 'perSecond', postern, yoga);
process.stdout.write(`  goal ${goal} ${value >= goal ? 'reached' : 'MISSED'}\n`);
if (value < goal) process.exitCode = 1;
await stopAll();

/** Returns the beginning of the body of a complete response, up to its cursor. */
async function beginningOf(url: string): Promise<string> {
  const body = await (await fetch(url + asked.path, asked)).text();
  if (JSON.parse(body).data?.user?.tweets?.edges?.length !== 20) throw new Error(`${url} does not answer 20 tweets`);
  return body.slice(0, body.indexOf('"endCursor"'));
}
