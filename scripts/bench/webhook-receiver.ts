// A webhook receiver that answers CRC handshakes and counts deliveries. /count returns the number of deliveries and the times of the first
// and the last one, /seen also the age of each event. /forget resets the counters. Usage: webhook-receiver.ts SECRET
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCrc } from '../../src/client/webhooks/index.ts';

const [secret = ''] = process.argv.slice(2);
const nothing = () => ({ count: 0, firstAt: 0, lastAt: 0, ages: [] as number[] });
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
      seen.ages.push(now - Date.parse(JSON.parse(body).created_at));
    }
    response.end('{}');
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://localhost:${(server.address() as AddressInfo).port}\n`);
});
