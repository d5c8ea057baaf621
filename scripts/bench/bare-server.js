// What Postern is measured against: the least that could answer the same request. It asks the same platform for the same
// page, parses it and serialises it again; no key, no credit, no checks. Run as: bare-server.js (http|express) PLATFORM_URL
import { createServer } from 'node:http';
import express from 'express';
import { Pool } from 'undici';

const [kind, platformUrl] = process.argv.slice(2);
const platform = new Pool(platformUrl, { connections: 128 });

async function search(url, authToken) {
  const query = new URL(url, 'http://bare').searchParams;
  const path = `/api/search?${new URLSearchParams({ q: query.get('q'), product: 'latest', count: query.get('count') })}`;
  const response = await platform.request({ method: 'GET', path, headers: { cookie: `auth_token=${authToken}` } });
  return { status: true, data: JSON.parse(await response.body.text()), error: null };
}

function httpServer() {
  return createServer(async (request, response) => {
    const body = JSON.stringify(await search(request.url, request.headers['x-auth-token']));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
}

function expressServer() {
  const app = express();
  app.get('/v1/tweet/advanced_search', async (request, response) => {
    response.json(await search(request.originalUrl, request.headers['x-auth-token']));
  });
  return createServer(app);
}

const server = kind === 'express' ? expressServer() : httpServer();
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`));
