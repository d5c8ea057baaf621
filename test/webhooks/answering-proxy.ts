import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { atEnd } from '../support/at-end.ts';
import { listen } from '../support/listen.ts';

/** A request for a page of events. */
export interface AskedPage {
  count: number;
  /** The cursor as a number; `null` without a cursor. */
  after: number | null;
  authToken: string;
}

export interface AnsweringProxy {
  url: string;
  /** The requests with a cursor, which are those of pollers. */
  readonly polls: AskedPage[];
}

/**
 * Starts a caller's proxy, which ends with the test. It answers requests for events itself. `status` in the answer becomes the status of the
 * response.
 */
export async function startAnsweringProxy(
  answer: (page: AskedPage) => Record<string, unknown>,
): Promise<AnsweringProxy> {
  const polls: AskedPage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response: ServerResponse) => {
    const { searchParams } = new URL(request.url ?? '', 'http://platform');
    const cursor = searchParams.get('pagination_token');
    const after = cursor === null ? null : Number(cursor);
    const authToken = /^Bearer (\w+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const asked = { count: Number(searchParams.get('max_results')), after, authToken };
    if (after !== null) polls.push(asked);
    response.setHeader('content-type', 'application/json');
    const body = after === null ? { data: [], meta: { gap: false, next_token: '0' } } : answer(asked);
    response.statusCode = typeof body['status'] === 'number' ? body['status'] : 200;
    response.end(JSON.stringify(body));
  });
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  server.on('connect', (_request, socket: Socket) => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    server.emit('connection', socket);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { url, polls };
}

/** Returns a page of mentions. Their ids follow `after`. */
export function mentionsAfter(after: number, count: number, text = 'Hello', gap = false) {
  const data = Array.from({ length: count }, (_, index) => ({
    id: String(after + index + 1),
    type: 'mention',
    created_at: new Date().toISOString(),
    actor: { id: '7', screen_name: 'grace', name: 'Grace' },
    tweet: { id: '8', text, in_reply_to_id: null, quoted_tweet_id: null },
  }));
  return { data, meta: { gap, next_token: String(after + count) } };
}
