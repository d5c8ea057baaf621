import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { originOf } from '../support/listen.ts';
import { useService } from '../support/use-service.ts';
import { describeInBrowser } from './browser.ts';

/** Starts a server of an empty page, and returns its origin, which differs from that of the service. */
function startPage(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Another origin</title>');
  });
  return originOf(server);
}

describeInBrowser('a page of another origin', [], async (browser) => {
  const [listed, unlisted] = [await startPage(), await startPage()];
  const { service, sandbox, ada } = await useService({ CORS_ORIGINS: listed });

  const open = async (origin: string): Promise<Page> => {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(origin);
    return page;
  };

  /** Calls the service with `fetch` of the page. Returns `null` if the browser does not let the page read the response. */
  const call = (page: Page, path: string, headers: Record<string, string> = {}, body?: object) =>
    page.evaluate(
      async ([url, init, names]) => {
        const response = await fetch(url, init as RequestInit).catch(() => null);
        if (!response) return null;
        const read = Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));
        return { status: response.status, headers: read, body: await response.json() };
      },
      [
        service.origin + path,
        {
          headers: { ...ada.headers, ...(body && { 'content-type': 'application/json' }), ...headers },
          ...(body && { method: 'POST', body: JSON.stringify(body) }),
        },
        ['x-credits-charged', 'x-request-id', 'x-error-code', 'ratelimit-remaining'],
      ] as const,
    );

  test('reads and writes over REST and GraphQL, and reads headers and errors', async () => {
    const page = await open(listed);
    const charged = { 'x-credits-charged': '0.001', 'x-request-id': expect.any(String) };
    expect(await call(page, '/v1/user/info?userName=grace')).toMatchObject({ status: 200, headers: charged });
    const write = { user_id: service.demo.accounts[1].userId };
    const written = await call(page, '/v1/user/follow', { 'idempotency-key': 'from-a-page' }, write);
    expect(written).toMatchObject({ status: 200, headers: charged });
    const query = { query: '{ user(userName: "grace") { name } }' };
    expect(await call(page, '/graphql', {}, query)).toMatchObject({ status: 200, headers: charged });
    const wrongInput = await call(page, '/v1/user/info');
    expect(wrongInput).toMatchObject({ status: 400, headers: { 'x-error-code': 'bad_input' } });
    const wrongKey = await call(page, '/v1/account', { authorization: 'Bearer wrong' });
    expect(wrongKey).toMatchObject({ status: 401, headers: { 'x-error-code': 'unauthenticated' } });
  });

  test('that is not listed reads nothing, and its write is not performed', async () => {
    const page = await open(unlisted);
    expect(await call(page, '/v1/account')).toBeNull();
    expect(await call(page, '/v1/user/follow', {}, { user_id: service.demo.accounts[1].userId })).toBeNull();
    expect(await call(page, '/graphql', {}, { query: '{ __typename }' })).toBeNull();
    const calls = service.log.map((line) => JSON.parse(line) as { method?: string; status?: string });
    expect(calls.slice(-3)).toMatchObject(Array(3).fill({ method: 'OPTIONS', status: '405' }));
  });

  test('reads the live stream with EventSource, and after a cut connection loses no event and gets none twice', async () => {
    // A relay between browser and service, whose connections the test ends.
    const sockets = new Set<Socket>();
    const heads: string[] = [];
    const relay = createTcpServer((socket) => {
      const far = connect(Number(new URL(service.origin).port), '127.0.0.1');
      for (const each of [socket, far]) sockets.add(each.on('error', () => {}).on('close', () => sockets.delete(each)));
      socket
        .on('data', (bytes) => heads.push(bytes.toString()))
        .pipe(far)
        .pipe(socket);
    });
    const through = await originOf(relay);
    const happen = (count: number) => sandbox.makeEvents({ type: 'follow', userName: 'ada', count });
    const page = await open(listed);
    const made = await call(page, '/v1/events/token', {}, { types: ['user.follow'] });
    const url = `${through}/v1/events?token=${made?.body.data.token}`;
    await page.evaluate(async (address) => {
      const ids: string[] = [];
      const stream = new EventSource(address);
      stream.addEventListener('user.follow', ({ lastEventId }) => ids.push(lastEventId));
      Object.assign(globalThis, { ids });
      await new Promise((resolve) => stream.addEventListener('open', resolve, { once: true }));
    }, url);
    const ids = () => page.evaluate(() => (globalThis as unknown as { ids: string[] }).ids);
    await happen(3);
    await expect.poll(async () => (await ids()).length).toBe(3);
    for (const socket of sockets) socket.destroy();
    await happen(2);
    await expect.poll(async () => (await ids()).length).toBe(5);
    expect(new Set(await ids()).size).toBe(5);
    const again = heads.filter((head) => head.startsWith('GET /v1/events?'));
    expect(again).toHaveLength(2);
    expect(again[1]?.toLowerCase()).toContain(`last-event-id: ${(await ids())[2]}`.toLowerCase());
    expect(service.log.join('').includes(made?.body.data.token)).toBe(false);
  });
});
