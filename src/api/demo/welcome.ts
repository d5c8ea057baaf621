import { commandName } from '../../shared/config/command-name.ts';
import type { Config } from '../../shared/config/config.ts';
import type { Demo } from './demo.ts';
import { demoAccess, examplesFor } from './examples.ts';

/** Returns the text that `postern serve` prints when the server listens: addresses, first calls and next steps. */
export function welcomeText(origin: string, demo: Demo, demoPath: string, { traces }: Pick<Config, 'traces'>): string {
  const [search, graphql] = examplesFor(demoAccess(demo));
  const actors = demo.accounts.map((account) => account.userName).join(', ');
  const places: [string, string][] = [
    [`${origin}/`, 'overview, with calls to try'],
    [`${origin}/console`, 'console: credit, usage, keys, webhooks'],
    [`${origin}/docs`, 'API reference, in which calls can be tried'],
    [demo.graphqlUrl, 'GraphQL; in a browser GraphiQL'],
    [demo.baseUrl, 'REST'],
    [demo.sandboxUrl, `the sandbox; /ada and other profiles are pages; demo accounts ${actors}`],
    ...tracesRow(traces),
  ];
  return `
Postern is listening on ${origin}

${aligned(places)}

A first call, as the demo user grace (a page of tweets for 0.001 dollars of the demo key's credit):

  ${search.command}

A GraphQL query (an account and its timeline, two calls in one request):

  ${graphql.command}

Any call from a shell in this folder; --help lists them all:

  ${commandName} call user/followers userName=grace

The demo credentials are in ${demoPath}, and for shells in demo.env beside it, which acts as ada. To create an account and a key of your own:

  ${commandName} account create --name me --credits 5
  ${commandName} key create --account <the printed id>

Stop with Ctrl-C.
`;
}

/** Returns the text that `postern serve` prints if the platform is not a sandbox, so that there are no demo credentials. */
export function plainWelcome(
  origin: string,
  { platform: { kind, url }, traces }: Pick<Config, 'platform' | 'traces'>,
): string {
  const places: [string, string][] = [
    [`${origin}/`, 'overview'],
    [`${origin}/console`, 'console: credit, usage, keys, webhooks'],
    [`${origin}/docs`, 'API reference, in which calls can be tried'],
    [`${origin}/graphql`, 'GraphQL; in a browser GraphiQL'],
    [`${origin}/v1`, 'REST'],
    [url ?? '', `the platform (${kind})`],
    ...tracesRow(traces),
  ];
  return `
Postern is listening on ${origin}

${aligned(places)}

Create an account and a key before the first call:

  ${commandName} account create --name me --credits 5
  ${commandName} key create --account <the printed id>

Stop with Ctrl-C.
`;
}

function tracesRow(traces: Config['traces']): [string, string][] {
  return traces === null ? [] : [[traces.endpoint, 'the collector that gets traces']];
}

function aligned(rows: readonly [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
