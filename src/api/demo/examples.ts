import type { Demo } from './demo.ts';

/** The request of an example. Each run replaces `{time}` in the body with the current time, because the platform refuses the same text twice within a day. */
export interface ExampleRequest {
  url: string;
  authToken: string;
  body?: Readonly<Record<string, unknown>>;
}

/** An example for newcomers, which the start-up message and the home page show. */
export interface Example {
  name: 'search' | 'graphql' | 'events';
  title: string;
  about: string;
  /** The names of the actions that the requests perform. */
  actions: readonly string[];
  /** A command to paste into a shell. */
  command: string;
  /** The requests that the command sends. If there are two requests, the first opens a stream, and the second causes an event on it. */
  requests: readonly ExampleRequest[];
}

/** The addresses and credentials of the examples. */
export interface ExampleAccess {
  baseUrl: string;
  graphqlUrl: string;
  apiKey: string;
  authToken: string;
  /** Another platform account, which mentions the first one. `null` if there is none. */
  friend: { authToken: string; mention: string } | null;
}

/** Returns the access with demo credentials. The examples act as grace, and ada mentions grace. */
export function demoAccess({ baseUrl, graphqlUrl, apiKey, accounts }: Demo): ExampleAccess {
  const [ada, grace] = accounts;
  if (!ada || !grace) throw new Error('the sandbox must have two demo accounts');
  const friend = { authToken: ada.connection, mention: `@${grace.userName}` };
  return { baseUrl, graphqlUrl, apiKey, authToken: grace.connection, friend };
}

/** Returns an access with shell variables instead of credentials. */
export function unknownAccess(origin: string): ExampleAccess {
  const [apiKey, authToken] = ['$POSTERN_KEY', '$CONNECTION'];
  return { baseUrl: `${origin}/v1`, graphqlUrl: `${origin}/graphql`, apiKey, authToken, friend: null };
}

const query = '{ viewer { name followersCount } homeTimeline(first: 2) { nodes { text author { userName } } } }';

export function examplesFor(access: ExampleAccess): readonly [search: Example, graphql: Example, events: Example] {
  const { baseUrl, graphqlUrl, authToken, friend } = access;
  const search = { url: `${baseUrl}/tweet/advanced_search?q=coffee&count=2`, authToken };
  const graphql = { url: graphqlUrl, authToken, body: { query } };
  const stream = { url: `${baseUrl}/events`, authToken };
  const post = friend && {
    url: `${baseUrl}/tweet/create`,
    authToken: friend.authToken,
    body: { text: `Hello ${friend.mention}, it is {time}` },
  };
  return [
    {
      name: 'search',
      title: 'Search tweets',
      about: 'A page of results, over REST.',
      actions: ['tweet/advanced_search'],
      command: curl(access, search, '-si'),
      requests: [search],
    },
    {
      name: 'graphql',
      title: 'Query with GraphQL',
      about: 'An account and its timeline, in one request.',
      actions: ['user/me', 'user/home_timeline'],
      command: curl(access, graphql),
      requests: [graphql],
    },
    {
      name: 'events',
      title: 'Watch an event',
      about: post ? 'Open the live stream, and be mentioned.' : 'Open the live stream of an account.',
      actions: post ? ['events', 'tweet/create'] : ['events'],
      command: post
        ? `${curl(access, stream, '-sN --max-time 8')} &\nsleep 2; ${curl(access, post)}; wait`
        : curl(access, stream, '-sN'),
      requests: post ? [stream, post] : [stream],
    },
  ];
}

function curl({ apiKey }: ExampleAccess, { url, authToken, body }: ExampleRequest, options = '-s'): string {
  const parts = [`curl ${options} '${url}'`, `-H "Authorization: Bearer ${apiKey}"`, `-H "x-auth-token: ${authToken}"`];
  if (body) {
    parts.push("-H 'Content-Type: application/json'");
    parts.push(`-d '${JSON.stringify(body).replace('{time}', `'"$(date +%T)"'`)}'`);
  }
  return parts.join(' \\\n  ');
}
