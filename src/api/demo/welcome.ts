import type { Demo } from './demo.ts';
import { curlExamples } from './examples.ts';

/** What the start prints for people: where it is, and what to do next. */
export function welcomeText(origin: string, demo: Demo, demoPath: string): string {
  const [search, graphql] = curlExamples(demo);
  const actors = demo.accounts.map((account) => account.userName).join(', ');
  const places: [string, string][] = [
    [`${origin}/`, 'what is where, with calls to paste'],
    [`${origin}/docs`, 'the REST calls described, and ready to try'],
    [demo.graphqlUrl, 'GraphQL; in a browser, a page to try it'],
    [demo.baseUrl, 'REST'],
    [demo.sandboxUrl, `the sandbox platform: demo accounts ${actors}`],
  ];
  return `
Postern is listening on ${origin}

${aligned(places)}

Your first call (a page of tweets; 0.001 of the demo key's credit):

  ${search?.command}

In GraphQL (a user and their tweets; two calls in one):

  ${graphql?.command}

Demo credentials are in ${demoPath}. An account and a key of your own:

  npx postern account create --name me --credits 5
  npx postern key create --account <the id it printed>

Stop with Ctrl-C.
`;
}

function aligned(rows: readonly [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
