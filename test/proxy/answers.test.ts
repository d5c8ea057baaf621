import { describe, expect, test } from 'vitest';
import { hostileJson } from '../support/hostile-json.ts';
import { expectQuick } from '../support/processor-time.ts';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { useService } from '../support/use-service.ts';
import { startFakeProxy } from './forward-proxy.ts';

/** Includes the time for sending the response, because the proxy is in this process. Parsing most responses would take 200 to 1,000 ms. */
const limitMs = 250;
let reply: { status: number; body: Buffer };

const { service, ada, graphql } = await useService({ OUTBOUND_ALLOW: '127.0.0.0/8', LOG_LEVEL: 'trace' });
const proxy = await startFakeProxy((socket) => {
  socket.write('HTTP/1.1 200 OK\r\n\r\n');
  socket.on('data', () => {
    const { status, body } = reply;
    socket.write(`HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`);
    socket.write(body);
  });
});

const search = (count?: number) =>
  ada.get('/tweet/advanced_search', { q: 'a', proxy: `http://${proxy.name}`, ...(count && { count: String(count) }) });

/** Returns a page as the sandbox sends it. */
async function realPage(): Promise<{ data: object[] }> {
  const headers = { authorization: `Bearer ${service.demo.accounts[0].authToken}` };
  const response = await fetch(
    `${service.demo.sandboxUrl}/2/tweets/search/all?query=the&max_results=10&expansions=author_id`,
    { headers },
  );
  return (await response.json()) as { data: object[] };
}

describe('a proxy that answers in the name of the platform', () => {
  test.each(hostileJson)('is refused quickly and free of charge: %s', async (_name, body) => {
    for (const status of [200, 404]) {
      reply = { status, body };
      await expectQuick(limitMs, async () => {
        expectRefusal(
          await search(),
          502,
          `The platform answered something that cannot be understood through the proxy ${proxy.name}`,
        );
      });
    }
    // Articles have higher limits, because they are parsed in a worker thread. Their errors are not.
    for (const status of [200, 404]) {
      reply = { status, body };
      const article = () => ada.get('/article/detail', { article_id: '1', proxy: `http://${proxy.name}` });
      if (status === 200) expectRefusal(await article(), 502);
      else await expectQuick(limitMs, async () => expectRefusal(await article(), 502));
    }
    expect(service.log.at(-1)).toContain('"reason":"proxy_unreadable"');
    expect(await restingBalance(ada)).toBe('1');
  });

  test.each<[string, number, string]>([
    ['usual time', 200, '2026-11-21T10:00:00.000Z'],
    ['time with a long comment', 502, `Sat Nov 21 2026 10:00:00 GMT (${'x'.repeat(100_000)})`],
  ])('answers a tweet with a %s: %i', async (_name, status, time) => {
    const { data, ...page } = await realPage();
    const [post] = data;
    reply = { status: 200, body: Buffer.from(JSON.stringify({ ...page, data: [{ ...post, created_at: time }] })) };
    expect((await search()).status).toBe(status);
  });

  test('cannot send more items than the caller asked for', async () => {
    const page = await realPage();
    const body = {
      ...page,
      data: [
        ...page.data.slice(0, 10),
        ...Array(10_000).fill({ author_id: (page.data[0] as { author_id: string }).author_id }),
      ],
    };
    reply = { status: 200, body: Buffer.from(JSON.stringify(body)) };
    const answer = await search(10);
    expect(answer.status).toBe(200);
    expect(answer.body.data['tweets']).toHaveLength(10);
    expectRefusal(await search(11), 502, /cannot be understood/);
  });

  test('may send 16 MiB in all to one GraphQL request', async () => {
    const page = await realPage();
    const long = { ...page.data[0], text: 'x'.repeat(190_000) };
    reply = { status: 200, body: Buffer.from(JSON.stringify({ ...page, data: Array(19).fill(long) })) };
    const query = `{ ${Array.from({ length: 6 }, (_, i) => `a${i}: searchTweets(q: "${i}") { nodes { id } }`).join(' ')} }`;
    const { data, errors } = await graphql.ask(query, {}, { 'x-proxy': `http://${proxy.name}` });
    expect(Object.values(data).filter((list) => list !== null)).toHaveLength(4);
    expect(errors.map(({ message }) => message)).toEqual(
      Array(2).fill(expect.stringMatching(/^Too large: the platform/)),
    );
  });
});
