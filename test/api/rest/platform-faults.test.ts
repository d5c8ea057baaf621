import { afterEach, describe, expect, test } from 'vitest';
import { exchange, openSocket } from '../../support/raw.ts';
import { expectRefusal, restingBalance } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { service, sandbox, ada } = await useService({ PLATFORM_TIMEOUT_MS: '300' });
afterEach(() => sandbox.clearFaults());

let texts = 0;
const search = () => ada.get('/tweet/advanced_search', { q: 'tea' });
const userId = () => service.demo.accounts[0].userId;
const profile = () => ada.get('/user/info', { userId: userId() });
const create = () => ada.post('/tweet/create', { text: `Written while it failed ${++texts}` });
const unlike = () => ada.post('/tweet/unlike', { tweet_id: '12' });
const reads = [search, profile];
const writes = [create, unlike];

/** Checks that `refused` costs nothing and that no credit stays reserved. */
async function free(refused: () => Promise<void>): Promise<void> {
  const before = await restingBalance(ada);
  await refused();
  expect(await restingBalance(ada)).toBe(before);
  expect((await profile()).status).toBe(200);
}

describe('faults of the platform are returned with their reason and cost nothing', () => {
  const down = 'The platform cannot be reached, or broke the connection';
  const invalid = 'The platform finds the request of this gateway invalid';
  const nonsense = 'The platform answered something that cannot be understood';
  const slow = 'The platform did not answer in time';

  test.each<[string, Record<string, unknown>, number, string | RegExp]>([
    ['500', { kind: 'status', status: 500 }, 502, 'The platform failed with status 500'],
    ['503', { kind: 'status', status: 503, retry_after: 9 }, 502, 'The platform failed with status 503'],
    ['418', { kind: 'status', status: 418 }, 502, invalid],
    ['a 400 that is not about the caller', { kind: 'status', status: 400, code: 'bad_request' }, 502, invalid],
    ['a problem with status 200', { kind: 'status', status: 200 }, 502, nonsense],
    ['204 without a body', { kind: 'status', status: 204 }, 502, nonsense],
    ['a redirect', { kind: 'redirect', location: 'http://169.254.169.254/latest/' }, 502, nonsense],
    ['a page of HTML', { kind: 'nonsense' }, 502, nonsense],
    ['JSON of another shape', { kind: 'wrong_shape' }, 502, nonsense],
    ['a token rejected', { kind: 'status', status: 401 }, 403, 'Platform rejected auth_token'],
    [
      'something forbidden',
      { kind: 'status', status: 403, message: 'This account is locked' },
      403,
      'This account is locked',
    ],
    ['a reset', { kind: 'reset' }, 502, down],
    ['a reset after the work', { kind: 'reset_after' }, 502, down],
    ['half an answer', { kind: 'truncated' }, 502, down],
    ['silence', { kind: 'hang' }, 504, slow],
    ['silence after the work', { kind: 'hang_after' }, 504, slow],
    ['an answer that is late', { kind: 'latency', ms: 60_000 }, 504, slow],
  ])('%s', (_name, fault, status, error) =>
    free(async () => {
      await service.addFault(fault, { times: null });
      const answers = await Promise.all([...reads, ...writes].map((call) => call()));
      for (const answer of answers) {
        expectRefusal(answer, status, error);
        expect(answer.headers.get('retry-after')).toBe(null);
        expect(answer.body.error).not.toMatch(/169\.254|html|rows/);
      }
      await sandbox.clearFaults();
    }),
  );

  test('its rate limit, which is remembered for the token and the operation', async () => {
    const limited = ada.with({ authToken: (await sandbox.mint()).authToken });
    const before = await restingBalance(ada);
    await service.addFault({ kind: 'rate_limit', retry_after: 17 });
    for (let times = 0; times < 2; times += 1) {
      const answer = await limited.get('/tweet/advanced_search', { q: 'tea' });
      expectRefusal(answer, 429, /^The platform's rate limit/);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(10);
    }
    expect((await search()).status).toBe(200);
    expect((await limited.get('/user/info', { userId: userId() })).status).toBe(200);
    expect(Number(await restingBalance(ada))).toBeCloseTo(Number(before) - 0.002, 6);
  });

  test('a little late is not too late', async () => {
    await service.addFault({ kind: 'latency', ms: 50 });
    expect((await search()).status).toBe(200);
  });
});

describe('a connection that breaks', () => {
  test.each(['reset', 'reset_after', 'truncated'])('is tried again once for a read: %s', async (kind) => {
    const before = await sandbox.requests('searchPostsAll');
    await service.addFault({ kind });
    const answer = await search();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-credits-charged')).toBe('0.001');
    expect(await sandbox.requests('searchPostsAll')).toBe(before + 2);
  });

  test.each(['reset', 'reset_after', 'truncated', 'hang', 'hang_after'])(
    'is never tried again for a write: %s',
    (kind) =>
      free(async () => {
        const [created, unliked] = [await sandbox.requests('createPosts'), await sandbox.requests('unlikePost')];
        const known = (await sandbox.tweets()).length;
        await service.addFault({ kind }, { operation: 'createPosts' });
        await service.addFault({ kind }, { operation: 'unlikePost' });
        expect((await create()).status).toBeGreaterThan(500);
        expect((await unlike()).status).toBeGreaterThan(500);
        expect(await sandbox.requests('createPosts')).toBe(created + 1);
        expect(await sandbox.requests('unlikePost')).toBe(unliked + 1);
        const done = ['reset_after', 'truncated', 'hang_after'].includes(kind) ? 1 : 0;
        expect((await sandbox.tweets()).length).toBe(known + done);
      }),
  );

  test('is not tried a third time for a read', () =>
    free(async () => {
      const before = await sandbox.requests('searchPostsAll');
      await service.addFault({ kind: 'reset' }, { times: 2 });
      expectRefusal(await search(), 502);
      expect(await sandbox.requests('searchPostsAll')).toBe(before + 2);
    }));

  test.each(['nonsense', 'wrong_shape'])('is repeated, but a wrong response is not: %s', async (kind) => {
    const before = await sandbox.requests('searchPostsAll');
    await service.addFault({ kind });
    expectRefusal(await search(), 502);
    expect(await sandbox.requests('searchPostsAll')).toBe(before + 1);
  });
});

describe('a caller who hangs up', () => {
  function bytes(method: string, path: string, body: string): string {
    const headers = [
      'Host: localhost',
      `Authorization: Bearer ${ada.options.key}`,
      `x-auth-token: ${ada.options.authToken}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    return `${method} /v1${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
  }

  /** Sends a request, and hangs up when the platform has received the operation. */
  async function sendAndGo(operation: string, request: string): Promise<void> {
    const before = await sandbox.requests(operation);
    const socket = await openSocket(service.origin);
    socket.write(request);
    await expect.poll(() => sandbox.requests(operation)).toBeGreaterThan(before);
    socket.resetAndDestroy();
  }

  test('in a write pays for it, and the tweet is there', async () => {
    const before = Number(await restingBalance(ada));
    await service.addFault({ kind: 'latency', ms: 150 });
    await sendAndGo('createPosts', bytes('POST', '/tweet/create', '{"text":"Nobody waited for this"}'));
    await expect.poll(() => sandbox.tweets()).toContain('Nobody waited for this');
    await expect.poll(async () => Number(await restingBalance(ada)).toFixed(3)).toBe((before - 0.001).toFixed(3));
  });

  test('in a read pays nothing, and the platform is let go', async () => {
    const before = await restingBalance(ada);
    await service.addFault({ kind: 'latency', ms: 10_000 });
    await sendAndGo('searchPostsAll', bytes('GET', '/tweet/advanced_search?q=tea', ''));
    const held = async () => (await ada.get('/account/balance')).body.data['held'];
    await expect.poll(held).toBe('0');
    expect(await restingBalance(ada)).toBe(before);
    const last = () => JSON.parse(service.log.findLast((text) => text.includes('hung_up')) ?? '{}');
    await expect.poll(last).toMatchObject({ action: 'tweet/advanced_search', status: 'hung_up' });
  });

  test('does no harm to who comes next on the same platform connection', async () => {
    for (let i = 0; i < 10; i++) {
      await service.addFault({ kind: 'latency', ms: 200 }, { operation: 'searchPostsAll' });
      const gone = sendAndGo('searchPostsAll', bytes('GET', '/tweet/advanced_search?q=tea', ''));
      expect((await profile()).body.data).toMatchObject({ id: userId() });
      await gone;
    }
    const { answers } = await exchange(service.origin, bytes('GET', `/user/info?userId=${userId()}`, ''));
    expect(JSON.parse(answers[0]?.body ?? '{}')).toMatchObject({ status: true, data: { id: userId() } });
  });
});
