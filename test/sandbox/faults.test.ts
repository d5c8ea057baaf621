import { once } from 'node:events';
import { Agent, type IncomingMessage, request as rawRequest } from 'node:http';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { bearer, fieldOf, openSandbox } from './harness.ts';

const sandbox = await openSandbox();
afterEach(() => sandbox.control('faults/clear'));

const path = `/2/users/${sandbox.ada.userId}`;
const me = () => sandbox.x(path);
const post = (text: string) => sandbox.tweet(text);
const texts = async () => {
  const { body } = await sandbox.call('GET', `/control/tweets?author=${sandbox.ada.userId}`);
  return body.tweets.map((tweet: { text: string }) => tweet.text);
};

describe('a fault', () => {
  test('latency: waits, and then responds as usual', async () => {
    await sandbox.fault({ kind: 'latency', ms: 120 });
    const started = performance.now();
    expect((await me()).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(110);
    expect((await me()).status).toBe(200);
  });

  test('latency: a connection with many delayed requests causes no warning', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const warnings: Error[] = [];
    const collect = (warning: Error) => warnings.push(warning);
    process.on('warning', collect);
    onTestFinished(() => void process.off('warning', collect));
    await sandbox.fault({ kind: 'latency', ms: 1 }, { times: 12 });
    const headers = bearer(sandbox.ada);
    for (let i = 0; i < 12; i++) {
      const sent = rawRequest(sandbox.url + path, { agent, headers }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
    }
    expect(warnings).toEqual([]);
  });

  test('status: responds with the given status without performing the call', async () => {
    await sandbox.fault({ kind: 'status', status: 503, code: 'over_capacity', message: 'Later', retry_after: 2 });
    const reply = await post('Never posted 1');
    expect(reply.status).toBe(503);
    const resetS = Number(reply.headers.get('x-rate-limit-reset'));
    expect(Math.abs(resetS - Date.now() / 1_000 - 2)).toBeLessThanOrEqual(2);
    expect(reply.body).toEqual({ title: 'Service Unavailable', detail: 'Later', type: 'about:blank', status: 503 });
    expect(await texts()).not.toContain('Never posted 1');
  });

  test('rate_limit: responds with 429 and an exhausted limit', async () => {
    await sandbox.fault({ kind: 'rate_limit', retry_after: 7 });
    const reply = await me();
    expect([reply.status, reply.headers.get('x-rate-limit-remaining')]).toEqual([429, '0']);
    expect(reply.body).toMatchObject({ title: 'Too Many Requests', status: 429 });
  });

  test('reset: breaks the connection before the call is performed', async () => {
    await sandbox.fault({ kind: 'reset' });
    await expect(post('Never posted 2')).rejects.toThrow();
    expect(await texts()).not.toContain('Never posted 2');
  });

  test('reset_after: performs the call, and then breaks the connection', async () => {
    await sandbox.fault({ kind: 'reset_after' });
    await expect(post('Posted in silence')).rejects.toThrow();
    expect(await texts()).toContain('Posted in silence');
  });

  test.each([
    ['hang', 'Never posted 3', false],
    ['hang_after', 'Posted, then silence', true],
  ])('%s: never answers', async (kind, text, performed) => {
    await sandbox.fault({ kind });
    const requests = async () => (await sandbox.call('GET', '/control/stats')).body.requests['createPosts'] ?? 0;
    const before = await requests();
    const hangUp = new AbortController();
    const attempt = fetch(`${sandbox.url}/2/tweets`, {
      method: 'POST',
      headers: bearer(sandbox.ada),
      body: JSON.stringify({ text }),
      signal: hangUp.signal,
    });
    await expect.poll(requests).toBe(before + 1);
    if (performed) await expect.poll(texts).toContain(text);
    hangUp.abort();
    await expect(attempt).rejects.toThrow('abort');
    expect((await texts()).includes(text)).toBe(performed);
  });

  test('nonsense: responds with HTML', async () => {
    await sandbox.fault({ kind: 'nonsense' });
    const reply = await me();
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(reply.body).toContain('<h1>');
  });

  test('wrong_shape: responds with JSON that violates the contract', async () => {
    await sandbox.fault({ kind: 'wrong_shape' });
    const reply = await me();
    expect([reply.status, reply.body.data]).toEqual([200, undefined]);
  });

  test('truncated: sends half of the announced bytes', async () => {
    await sandbox.fault({ kind: 'truncated' });
    const seen = await new Promise<{ announced: number; received: number; complete: boolean }>((resolve, reject) => {
      const sent = rawRequest(sandbox.url + path, { headers: bearer(sandbox.ada) }, (response) => {
        let received = 0;
        response.on('data', (chunk: Buffer) => {
          received += chunk.length;
        });
        response.on('error', () => {});
        response.on('close', () =>
          resolve({ announced: Number(response.headers['content-length']), received, complete: response.complete }),
        );
      });
      sent.on('error', reject);
      sent.end();
    });
    expect(seen.complete).toBe(false);
    expect(seen.received).toBe(Math.floor(seen.announced / 2));
  });

  test('redirect: responds with 302 and the given location', async () => {
    await sandbox.fault({ kind: 'redirect', location: 'http://169.254.169.254/latest' });
    const reply = await me();
    expect([reply.status, reply.headers.get('location')]).toEqual([302, 'http://169.254.169.254/latest']);
  });
});

describe('faults', () => {
  test('affect only the matching requests', async () => {
    const fault = { kind: 'status', status: 500 };
    await sandbox.fault(fault, { operation: 'searchPostsRecent' });
    await sandbox.fault(fault, { actor: sandbox.grace.userId });
    await sandbox.fault(fault, { method: 'DELETE' });
    await sandbox.fault(fault, { path_prefix: '/2/lists/' });
    expect((await me()).status).toBe(200);
    expect((await sandbox.x('/2/tweets/search/recent?query=a')).status).toBe(500);
    expect((await sandbox.x(path, sandbox.grace)).status).toBe(500);
    expect((await sandbox.clear('likes', '1')).status).toBe(500);
    expect((await sandbox.x('/2/lists/1/members')).status).toBe(500);
    expect((await sandbox.x('/2/lists/1/members')).status).toBe(200);
  });

  test('apply the given number of times, or until they are cleared', async () => {
    await sandbox.fault({ kind: 'status', status: 502 }, { times: 2 });
    await sandbox.fault({ kind: 'status', status: 503 }, { times: null });
    const statuses = [];
    for (let turn = 0; turn < 4; turn++) statuses.push((await me()).status);
    expect(statuses).toEqual([502, 502, 503, 503]);
    const { body } = await sandbox.call('GET', '/control/faults');
    expect(body.faults).toMatchObject([{ fault: { kind: 'status', status: 503 }, times: null }]);
    expect((await sandbox.control('faults/clear')).body).toEqual({ cleared: 1 });
    expect((await me()).status).toBe(200);
  });

  test('do not affect readiness probes unless they name them', async () => {
    await sandbox.fault({ kind: 'status', status: 503 });
    const probe = async () => (await sandbox.call('GET', '/2/users/me', { unchecked: true })).status;
    expect(await probe()).toBe(401);
    expect((await me()).status).toBe(503);
    await sandbox.fault({ kind: 'status', status: 503 }, { operation: 'getUsersMe' });
    expect(await probe()).toBe(503);
  });

  test.each([
    [{}, 'fault'],
    [{ fault: { kind: 'gremlins' } }, 'fault'],
    [{ fault: { kind: 'latency' } }, 'ms'],
    [{ fault: { kind: 'status', status: 99 } }, 'status'],
    [{ fault: { kind: 'redirect', location: 'a\r\nb: c' } }, 'location'],
    [{ fault: { kind: 'reset' }, times: 0 }, 'times'],
    [{ fault: { kind: 'reset' }, operation: 'createTweet' }, 'operation'],
  ])('%j is refused', async (body, field) => {
    const reply = await sandbox.call('POST', '/control/faults', { body });
    expect([reply.status, fieldOf(reply)]).toEqual([400, field]);
  });
});
