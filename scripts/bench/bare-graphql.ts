// The minimal GraphQL server that the benchmark compares with Postern. It resolves the same query with the same platform requests. It has
// no API keys, credit, prices or validation of the platform's data. Usage: bare-graphql.ts PLATFORM_URL
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSchema, createYoga } from 'graphql-yoga';
import { Pool } from 'undici';

const [platformUrl = ''] = process.argv.slice(2);
const platform = new Pool(platformUrl, { connections: 128 });

interface PlatformUser {
  id: string;
  screen_name: string;
  counts: { followers: number };
}
interface PlatformTweet {
  kind: string;
  created_at: string;
  counts: { likes: number };
}
interface TweetPage {
  tweets: PlatformTweet[];
  next_cursor: string | null;
}
interface Served {
  req: IncomingMessage;
  res: ServerResponse;
}
interface Context extends Served {
  authToken: string;
}

async function get<Data>(path: string, authToken: string): Promise<Data> {
  const headers = { accept: 'application/json', cookie: `auth_token=${authToken}` };
  const { statusCode, body } = await platform.request({ method: 'GET', path, headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`the platform answers ${statusCode}`);
  return JSON.parse(text) as Data;
}

const schema = createSchema<Context>({
  typeDefs: /* GraphQL */ `
    type Query {
      user(userName: String!): User
    }
    type User {
      userName: String!
      name: String!
      followersCount: Int!
      tweets(first: Int = 20, after: String): TweetConnection
    }
    type TweetConnection {
      edges: [TweetEdge!]!
      pageInfo: PageInfo!
    }
    type TweetEdge {
      node: Tweet!
    }
    type Tweet {
      text: String!
      createdAt: String!
      likeCount: Int!
      author: User
    }
    type PageInfo {
      hasNextPage: Boolean!
      endCursor: String
    }
  `,
  resolvers: {
    Query: {
      user: async (_root: unknown, { userName }: { userName: string }, { authToken }: Context) =>
        (await get<{ user: PlatformUser }>(`/api/users/by/${encodeURIComponent(userName)}`, authToken)).user,
    },
    User: {
      userName: ({ screen_name }: PlatformUser) => screen_name,
      followersCount: ({ counts }: PlatformUser) => counts.followers,
      tweets: async (
        { id }: PlatformUser,
        { first, after = '' }: { first: number; after?: string },
        { authToken }: Context,
      ) => {
        const query = new URLSearchParams({ count: String(first), ...(after !== '' && { cursor: atob(after) }) });
        const { tweets, next_cursor } = await get<TweetPage>(`/api/users/${id}/tweets?${query}`, authToken);
        const cursor = next_cursor === null ? null : btoa(next_cursor);
        return {
          edges: tweets.filter((tweet) => tweet.kind === 'tweet').map((node) => ({ node })),
          pageInfo: { hasNextPage: cursor !== null, endCursor: cursor },
        };
      },
    },
    Tweet: {
      createdAt: ({ created_at }: PlatformTweet) => created_at,
      likeCount: ({ counts }: PlatformTweet) => counts.likes,
    },
  },
});

const server = createServer(
  createYoga<Served, Context>({
    schema,
    context: ({ req, res }) => ({ req, res, authToken: String(req.headers['x-auth-token']) }),
    graphiql: false,
    landingPage: false,
    logging: false,
  }),
);
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
