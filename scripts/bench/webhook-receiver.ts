// A receiver that answers the CRC of webhooks and counts deliveries. GET /count returns the number of deliveries and the times of the first
// and the last one, GET /seen also the age of each event and the time of each arrival. POST /forget resets the counters. Usage:
// webhook-receiver.js SECRET [MILLISECONDS before each response]
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCrc } from '../../src/client/webhooks/index.ts';

const [secret = '', delayMs = '0'] = process.argv.slice(2);
const nothing = () => ({
  count: 0,
  firstAt: 0,
  lastAt: 0,
  ages: [] as number[],
  arrivedAt: {} as Record<string, number>,
});
let seen = nothing();

const server = createServer((request, response) => {
  const token = new URL(request.url ?? '', 'http://receiver').searchParams.get('crc_token');
  if (token !== null) return response.end(JSON.stringify(answerCrc(token, secret)));
  if (request.url === '/count') {
    const { count, firstAt, lastAt } = seen;
    return response.end(JSON.stringify({ count, firstAt, lastAt }));
  }
  if (request.url === '/seen') return response.end(JSON.stringify(seen));
  if (request.url === '/forget') {
    seen = nothing();
    return response.end();
  }
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const now = Date.now();
    seen.firstAt ||= now;
    seen.lastAt = now;
    seen.count += 1;
    if (seen.ages.length < 10_000) {
      const { id, created_at } = JSON.parse(body);
      seen.ages.push(now - Date.parse(created_at));
      seen.arrivedAt[id] ??= now;
    }
    if (delayMs === '0') response.end('{}');
    else setTimeout(() => response.end('{}'), Number(delayMs));
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://localhost:${(server.address() as AddressInfo).port}\n`);
});
