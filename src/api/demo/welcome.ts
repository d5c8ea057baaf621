import type { Demo } from './demo.ts';
import { curlExamples } from './examples.ts';

/** Returns the text that `postern serve` prints once it listens: addresses, first calls and the next steps. */
export function welcomeText(origin: string, demo: Demo, demoPath: string): string {
  const [search, graphql] = curlExamples(demo);
  const actors = demo.accounts.map((account) => account.userName).join(', ');
  const places: [string, string][] = [
    [`${origin}/`, 'overview, with calls to paste'],
    [`${origin}/docs`, 'API reference with a console'],
    [demo.graphqlUrl, 'GraphQL; in a browser GraphiQL'],
    [demo.baseUrl, 'REST'],
    [demo.sandboxUrl, `sandbox, with the demo accounts ${actors}`],
  ];
  return `
Postern is listening on ${origin}

${aligned(places)}

A first call (a page of tweets for 0.001 dollars of the demo key's credit):

  ${search?.command}

A GraphQL query (a user and their tweets, two calls in one request):

  ${graphql?.command}

The demo credentials are in ${demoPath}. To create an account and a key of your own:

  npx postern account create --name me --credits 5
  npx postern key create --account <the printed id>

Stop with Ctrl-C.
`;
}

function aligned(rows: readonly [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
