// A receiver of webhooks. It verifies each delivery and counts the events of each path. GET /seen returns
// `{ PATH: { events, deliveries } }` and the number of wrong signatures; POST /delay?ms=N delays later responses.
// Usage: receiver.js SECRET
import { createServer } from 'node:http';
import { answerCrc, isSignedByPlatform } from '../../src/client/webhooks/index.ts';

const [secret] = process.argv.slice(2);
const hooks = new Map();
let wrong = 0;
let delayMs = 0;

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://receiver');
  const token = searchParams.get('crc_token');
  if (token !== null) return response.end(JSON.stringify(answerCrc(token, secret)));
  if (pathname === '/seen') return response.end(JSON.stringify({ hooks: Object.fromEntries(seen()), wrong }));
  if (pathname === '/delay') {
    delayMs = Number(searchParams.get('ms'));
    return response.end();
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    if (isSignedByPlatform(body, request.headers, secret)) count(pathname, JSON.parse(body).id);
    else wrong++;
    if (delayMs === 0) response.end('{}');
    else setTimeout(() => response.end('{}'), delayMs);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://localhost:${server.address().port}\n`);
});

function count(path, id) {
  const hook = hooks.get(path) ?? { ids: new Set(), deliveries: 0 };
  hook.ids.add(id);
  hook.deliveries++;
  hooks.set(path, hook);
}

function* seen() {
  for (const [path, { ids, deliveries }] of hooks) yield [path, { events: ids.size, deliveries }];
}
