// The minimal GraphQL server that the benchmark compares with Postern. It resolves the same query with the same platform requests. It has
// no API keys, credit, prices or validation of the platform's data. Usage: bare-graphql.ts PLATFORM_URL
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSchema, createYoga } from 'graphql-yoga';
import { Pool } from 'undici';

const [platformUrl = ''] = process.argv.slice(2);
const platform = new Pool(platformUrl, { connections: 128 });
const userFields = 'user.fields=public_metrics';
const postFields = 'post.fields=created_at,public_metrics&expansions=author_id';

interface PlatformUser {
  id: string;
  username: string;
  public_metrics: { followers_count: number };
}
interface PlatformTweet {
  author_id: string;
  created_at: string;
  public_metrics: { like_count: number };
}
interface TweetPage {
  data: PlatformTweet[];
  includes: { users: PlatformUser[] };
  meta: { next_token?: string };
}
interface Served {
  req: IncomingMessage;
  res: ServerResponse;
}
interface Context extends Served {
  authToken: string;
}

async function get<Data>(path: string, authToken: string): Promise<Data> {
  const headers = { accept: 'application/json', authorization: `Bearer ${authToken}` };
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
        (await get<{ data: PlatformUser }>(`/2/users/by/username/${userName}?${userFields}`, authToken)).data,
    },
    User: {
      userName: ({ username }: PlatformUser) => username,
      followersCount: (user: PlatformUser) => user.public_metrics.followers_count,
      tweets: async (
        { id }: PlatformUser,
        { first, after = '' }: { first: number; after?: string },
        { authToken }: Context,
      ) => {
        const query = new URLSearchParams({
          max_results: String(first),
          ...(after !== '' && { pagination_token: after }),
        });
        const path = `/2/users/${id}/tweets?${query}&${postFields}&${userFields}`;
        const { data, includes, meta } = await get<TweetPage>(path, authToken);
        const cursor = meta.next_token ?? null;
        const authors = new Map(includes.users.map((user) => [user.id, user]));
        return {
          edges: data.map((tweet) => ({ node: { ...tweet, author: authors.get(tweet.author_id) } })),
          pageInfo: { hasNextPage: cursor !== null, endCursor: cursor },
        };
      },
    },
    Tweet: {
      createdAt: ({ created_at }: PlatformTweet) => created_at,
      likeCount: (tweet: PlatformTweet) => tweet.public_metrics.like_count,
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
