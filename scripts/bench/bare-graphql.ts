// The server with which Postern's GraphQL is compared. It answers the same query with the same calls to the same platform, without API key,
// credit, prices and checks of the platform's data. Usage: bare-graphql.js (yoga|apollo) PLATFORM_URL
import { createServer } from 'node:http';
import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express from 'express';
import { createSchema, createYoga } from 'graphql-yoga';
import { Pool } from 'undici';

const [kind, platformUrl] = process.argv.slice(2);
const platform = new Pool(platformUrl, { connections: 128 });

async function get(path, authToken) {
  const headers = { accept: 'application/json', cookie: `auth_token=${authToken}` };
  const { statusCode, body } = await platform.request({ method: 'GET', path, headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`the platform answers ${statusCode}`);
  return JSON.parse(text);
}

const schema = createSchema({
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
      user: async (_root, { userName, userId }, { authToken }) => {
        const path = userId ? `/api/users/${userId}` : `/api/users/by/${encodeURIComponent(userName)}`;
        return (await get(path, authToken)).user;
      },
    },
    User: {
      id: ({ id }) => btoa(`User:${id}`),
      userId: ({ id }) => id,
      userName: ({ screen_name }) => screen_name,
      profilePicture: ({ avatar_url }) => avatar_url,
      followersCount: ({ counts }) => counts.followers,
      followingCount: ({ counts }) => counts.following,
      createdAt: ({ created_at }) => created_at,
      tweets: async ({ id }, { first, after }, { authToken }) => {
        const query = new URLSearchParams({ count: first, ...(after && { cursor: atob(after) }) });
        const { tweets, next_cursor } = await get(`/api/users/${id}/tweets?${query}`, authToken);
        const cursor = next_cursor === null ? null : btoa(next_cursor);
        return {
          edges: tweets.filter((tweet) => tweet.kind === 'tweet').map((node) => ({ node, cursor })),
          pageInfo: { hasNextPage: cursor !== null, hasPreviousPage: false, startCursor: cursor, endCursor: cursor },
        };
      },
    },
    TweetConnection: { nodes: ({ edges }) => edges.map(({ node }) => node) },
    Tweet: {
      id: ({ id }) => btoa(`Tweet:${id}`),
      tweetId: ({ id }) => id,
      createdAt: ({ created_at }) => created_at,
      likeCount: ({ counts }) => counts.likes,
      retweetCount: ({ counts }) => counts.retweets,
      replyCount: ({ counts }) => counts.replies,
    },
  },
});

/** Prints the same metrics as Postern's `/metrics`. */
function processorTime(response) {
  const { user, system } = process.cpuUsage();
  response.end(`process_cpu_seconds_total ${(user + system) / 1e6}\n`);
}

function yogaServer() {
  const context = ({ req }) => ({ authToken: req.headers['x-auth-token'] });
  const yoga = createYoga({ schema, context, graphiql: false, landingPage: false, logging: false });
  return createServer((request, response) =>
    request.url === '/metrics' ? processorTime(response) : yoga(request, response),
  );
}

async function apolloServer() {
  const apollo = new ApolloServer({ schema });
  await apollo.start();
  const app = express();
  const context = async ({ req }) => ({ authToken: req.headers['x-auth-token'] });
  app.use('/graphql', express.json(), expressMiddleware(apollo, { context }));
  app.get('/metrics', (_request, response) => processorTime(response));
  return createServer(app);
}

const server = kind === 'apollo' ? await apolloServer() : yogaServer();
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`));
