import { createServer } from 'node:http';
import { answerCrc, verify } from '../../dist/client/webhooks/index.js';

/** Starts a receiver with a path and a secret for each webhook. It verifies and keeps every delivery. */
export async function startReceiver() {
  const secrets = new Map();
  /** The body of each event, by path and id. */
  const arrived = new Map();
  const counts = { deliveries: 0, repeated: 0, unsigned: 0, differing: 0 };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://receiver');
    const secret = secrets.get(pathname) ?? '';
    const token = searchParams.get('crc_token');
    if (token !== null) return response.end(JSON.stringify(answerCrc(token, secret)));
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    keep(pathname, Buffer.concat(chunks), request.headers, secret);
    response.end('{}');
  });
  const keep = (path, bytes, headers, secret) => {
    const body = bytes.toString('utf8');
    const { id } = JSON.parse(body);
    counts.deliveries += 1;
    try {
      verify(bytes, headers, [secret]);
    } catch {
      counts.unsigned += 1;
    }
    const events = arrived.get(path) ?? new Map();
    arrived.set(path, events);
    const earlier = events.get(id);
    if (earlier !== undefined) counts.repeated += 1;
    if (earlier !== undefined && earlier !== body) counts.differing += 1;
    events.set(id, body);
  };
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${server.address().port}`;
  return {
    counts,
    /** Returns a URL whose deliveries are signed with this secret. */
    address(path, secret) {
      secrets.set(path, secret);
      return origin + path;
    },
    /** Returns the number of different events that a path has received. */
    eventsAt: (path) => arrived.get(path)?.size ?? 0,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
