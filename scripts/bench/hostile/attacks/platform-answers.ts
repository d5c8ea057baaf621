// Answers and events of a caller's proxy in the name of an http:// platform.
import { setTimeout as sleep } from 'node:timers/promises';
import { receiverSecret } from '../target.ts';

const keys = (count) => Array.from({ length: count }, (_, i) => `"k${i.toString(36)}":0`).join();
export const deep = {
  'open brackets': (bytes) => '['.repeat(bytes),
  'nested lists': (bytes) => `{"x":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`,
  'nested objects': (bytes) => `{"x":${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}}`,
  'empty objects': (bytes) => `{"tweets":[${'{},'.repeat(bytes / 3 - 10)}{}],"next_cursor":null}`,
  numbers: (bytes) => `{"x":[${'1,'.repeat(bytes / 2 - 10)}1],"next_cursor":null}`,
  keys: (bytes) => `{${keys(bytes / 10)}}`,
  escapes: (bytes) => `{"x":"${'\\u0061'.repeat(bytes / 6 - 10)}"}`,
};

const respond = (body) => (socket) => {
  const text = body();
  socket.write(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`,
  );
  socket.write(text);
};

/** Registers webhooks through an honest proxy, which then answers their polls with `body` for ten seconds. */
const poll = (count, body) => async (target) => {
  const receiver = await target.receiver({ answer: (_request, response) => response.writeHead(500).end() });
  const proxy = await target.fakeProxy(respond(body));
  proxy.isHonest = true;
  for (let i = 0; i < count; i++) {
    const hook = { url: `${receiver.url}${i}`, secret: receiverSecret };
    const { id } = await target.setUp(target.rest('POST', '/webhooks', hook, { headers: proxy.headers, actor: i % 3 }));
    target.later(() => target.rest('DELETE', `/webhooks/${id}`));
  }
  await sleep(1_500);
  await target.begin();
  proxy.isHonest = false;
  proxy.breakAll();
  await sleep(10_000);
  target.note(`${proxy.answered} answers`);
};

let eventId = 1_000_000;
const page = (count, text) => () => {
  const event = () => ({
    id: String(eventId++),
    type: text ? 'mention' : 'follow',
    created_at: new Date().toISOString(),
    actor: { id: '1', screen_name: 'a', name: 'a' },
    ...(text && { tweet: { id: '5', text, in_reply_to_id: null, quoted_tweet_id: null } }),
  });
  return JSON.stringify({ events: Array.from({ length: count }, event), next_cursor: String(eventId), gap: false });
};

export const attacks = {
  ...Object.fromEntries(
    Object.entries(deep).map(([name, body]) => [
      `platform: 15 MB of ${name}`,
      async (target) => {
        const text = body(15_000_000);
        const { headers } = await target.fakeProxy(respond(() => text));
        await target.begin();
        const { json } = await target.rest('GET', '/tweet/advanced_search?q=a', undefined, { headers });
        target.note(String(json?.error).slice(0, 70));
      },
    ]),
  ),
  'platform: pollers that get 15 MB of open brackets': poll(3, () => '['.repeat(15_000_000)),
  'events: full pages without end': poll(3, page(100)),
  'events: pages of 75,000': poll(3, page(75_000)),
  'events: texts of 150 KB': poll(3, page(100, 'x'.repeat(150_000))),
};
