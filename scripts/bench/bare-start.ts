// The minimal program with which the start of Postern is compared. It serves REST with Express and GraphQL with Yoga.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createSchema, createYoga } from 'graphql-yoga';

const schema = createSchema({
  typeDefs: 'type Query { user(userName: String!): User } type User { name: String! }',
  resolvers: { Query: { user: (_root, { userName }: { userName: string }) => ({ name: userName }) } },
});
const app = express();
app.get('/v1/user/info', (request, response) => response.json({ name: request.query.userName }));
app.use('/graphql', createYoga({ schema, graphiql: false, landingPage: false, logging: false }));
const server = createServer(app);
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
