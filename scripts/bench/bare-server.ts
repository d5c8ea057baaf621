// The minimal REST server that the benchmark compares with Postern. It sends the same requests to the same platform, parses the responses
// and serializes them again. It has no API keys, credit or validation. Usage: bare-server.ts (http|express) PLATFORM_URL
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { Pool } from 'undici';

const [kind, platformUrl = ''] = process.argv.slice(2);
const platform = new Pool(platformUrl, { connections: 128 });

interface Sent {
  path?: string;
  method?: 'GET' | 'POST';
  body?: string;
}

/** The platform's request for each request to this server. */
const requests: Record<string, (query: URLSearchParams, body: string) => Sent> = {
  '/v1/tweet/advanced_search': (query) => ({
    path: `/api/search?${new URLSearchParams({ q: query.get('q') ?? '', product: 'latest', count: query.get('count') ?? '' })}`,
  }),
  '/v1/user/followers': (query) => ({
    path: `/api/users/by/${query.get('userName')}/followers?count=${query.get('count')}`,
  }),
  '/v1/tweet/create': (_query, body) => ({
    path: '/api/tweets',
    method: 'POST',
    body: JSON.stringify({ text: JSON.parse(body).text }),
  }),
};

async function forward(url = '', authToken: unknown, sent: string) {
  const { pathname, searchParams } = new URL(url, 'http://bare');
  const { method = 'GET', path = '/', body = null } = requests[pathname]?.(searchParams, sent) ?? {};
  const headers = { cookie: `auth_token=${authToken}`, ...(body && { 'content-type': 'application/json' }) };
  const response = await platform.request({ method, path, headers, body });
  return { status: true, data: JSON.parse(await response.body.text()), error: null };
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
