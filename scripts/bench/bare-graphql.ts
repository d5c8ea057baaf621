// The minimal GraphQL server with which Postern is compared. It resolves the same query with the same platform requests, without API keys,
// credit, prices and checks of the platform's data. Usage: bare-graphql.ts PLATFORM_URL
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSchema, createYoga } from 'graphql-yoga';
import { Pool } from 'undici';

const [platformUrl = ''] = process.argv.slice(2);
const platform = new Pool(platformUrl, { connections: 128 });

interface PlatformUser {
  id: string;
  screen_name: string;
  avatar_url: string;
  counts: { followers: number; following: number };
  created_at: string;
}
interface PlatformTweet {
  id: string;
  kind: string;
  created_at: string;
  counts: { likes: number; retweets: number; replies: number };
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
    scalar DateTime
    type Query {
      user(userName: String, userId: String): User
    }
    interface Node {
      id: ID!
    }
    type User implements Node {
      id: ID!
      userId: String!
      userName: String!
      name: String!
      description: String!
      location: String
      profilePicture: String
      followersCount: Int!
      followingCount: Int!
      createdAt: DateTime
      tweets(first: Int = 20, after: String): TweetConnection
    }
    type TweetConnection {
      edges: [TweetEdge!]!
      nodes: [Tweet!]!
      pageInfo: PageInfo!
    }
    type TweetEdge {
      node: Tweet!
      cursor: String!
    }
    type Tweet implements Node {
      id: ID!
      tweetId: String!
      text: String!
      createdAt: DateTime!
      lang: String!
      likeCount: Int!
      retweetCount: Int!
      replyCount: Int!
      author: User
    }
    type PageInfo {
      hasNextPage: Boolean!
      hasPreviousPage: Boolean!
      startCursor: String
      endCursor: String
    }
  `,
  resolvers: {
    Query: {
      user: async (
        _root: unknown,
        { userName, userId }: { userName: string; userId?: string },
        { authToken }: Context,
      ) => {
        const path = userId ? `/api/users/${userId}` : `/api/users/by/${encodeURIComponent(userName)}`;
        return (await get<{ user: PlatformUser }>(path, authToken)).user;
      },
    },
    User: {
      id: ({ id }: PlatformUser) => btoa(`User:${id}`),
      userId: ({ id }: PlatformUser) => id,
      userName: ({ screen_name }: PlatformUser) => screen_name,
      profilePicture: ({ avatar_url }: PlatformUser) => avatar_url,
      followersCount: ({ counts }: PlatformUser) => counts.followers,
      followingCount: ({ counts }: PlatformUser) => counts.following,
      createdAt: ({ created_at }: PlatformUser) => created_at,
      tweets: async (
        { id }: PlatformUser,
        { first, after = '' }: { first: number; after?: string },
        { authToken }: Context,
      ) => {
        const query = new URLSearchParams({ count: String(first), ...(after !== '' && { cursor: atob(after) }) });
        const { tweets, next_cursor } = await get<TweetPage>(`/api/users/${id}/tweets?${query}`, authToken);
        const cursor = next_cursor === null ? null : btoa(next_cursor);
        return {
          edges: tweets.filter((tweet) => tweet.kind === 'tweet').map((node) => ({ node, cursor })),
          pageInfo: { hasNextPage: cursor !== null, hasPreviousPage: false, startCursor: cursor, endCursor: cursor },
        };
      },
    },
    TweetConnection: { nodes: ({ edges }: { edges: { node: PlatformTweet }[] }) => edges.map(({ node }) => node) },
    Tweet: {
      id: ({ id }: PlatformTweet) => btoa(`Tweet:${id}`),
      tweetId: ({ id }: PlatformTweet) => id,
      createdAt: ({ created_at }: PlatformTweet) => created_at,
      likeCount: ({ counts }: PlatformTweet) => counts.likes,
      retweetCount: ({ counts }: PlatformTweet) => counts.retweets,
      replyCount: ({ counts }: PlatformTweet) => counts.replies,
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
