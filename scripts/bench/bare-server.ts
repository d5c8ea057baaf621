// The minimal REST server that the benchmark compares with Postern. It sends the same requests to the same platform, parses the responses
// and serializes them again. It has no API keys, credit or validation. Usage: bare-server.ts (http|express) PLATFORM_URL
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { Pool } from 'undici';
import { xFeatures } from '../../src/platform/x/features.ts';
import { allNeeds, cardFields, fieldsOfPosts } from '../../src/platform/x/fields.ts';

const [kind, platformUrl = ''] = process.argv.slice(2);
const platform = new Pool(platformUrl, { connections: 128 });

interface Sent {
  path?: string;
  method?: 'GET' | 'POST';
  body?: string;
}

/** The platform's request for each request to this server. */
const requests: Record<string, (query: URLSearchParams, body: string, authToken: string) => Sent | Promise<Sent>> = {
  '/v1/tweet/advanced_search': (query) => ({
    path: `/2/tweets/search/all?${new URLSearchParams({ query: query.get('q') ?? '', max_results: query.get('count') ?? '' })}&${postFields}`,
  }),
  '/v1/user/followers': async (query, _body, authToken) => ({
    path: `/2/users/${await idOf(query.get('userName') ?? '', authToken)}/followers?max_results=${query.get('count')}&${cardFields.text}`,
  }),
  '/v1/tweet/create': (_query, body) => ({
    path: '/2/tweets',
    method: 'POST',
    body: JSON.stringify({ text: JSON.parse(body).text }),
  }),
};

const postFields = fieldsOfPosts(allNeeds, { ...xFeatures, extensions: true }).text;
const ids = new Map<string, string>();

/** Like Postern, this server looks up the id of a name once. */
async function idOf(userName: string, authToken: string): Promise<string> {
  const known = ids.get(userName);
  if (known !== undefined) return known;
  const { data } = (await send({ path: `/2/users/by/username/${userName}` }, authToken)) as { data: { id: string } };
  ids.set(userName, data.id);
  return data.id;
}

async function send({ method = 'GET', path = '/', body }: Sent, authToken: string): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${authToken}`,
    'x-sandbox-extensions': '1',
    ...(body && { 'content-type': 'application/json' }),
  };
  const response = await platform.request({ method, path, headers, body: body ?? null });
  return JSON.parse(await response.body.text());
}

async function forward(url = '', token: unknown, sent: string) {
  const { pathname, searchParams } = new URL(url, 'http://bare');
  const authToken = String(token);
  const request = (await requests[pathname]?.(searchParams, sent, authToken)) ?? {};
  return { status: true, data: await send(request, authToken), error: null };
}

async function read(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

function httpServer() {
  return createServer(async (request, response) => {
    const sent = request.method === 'POST' ? await read(request) : '';
    const body = JSON.stringify(await forward(request.url, request.headers['x-auth-token'], sent));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
}

function expressServer() {
  const app = express();
  const answer = async (request: Request, response: Response) => {
    const sent = request.method === 'POST' ? JSON.stringify(request.body) : '';
    response.json(await forward(request.originalUrl, request.headers['x-auth-token'], sent));
  };
  app.get('/v1/tweet/advanced_search', answer);
  app.get('/v1/user/followers', answer);
  app.post('/v1/tweet/create', express.json(), answer);
  return createServer(app);
}

const server = kind === 'express' ? expressServer() : httpServer();
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
