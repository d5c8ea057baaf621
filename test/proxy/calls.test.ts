import { describe, expect, test } from 'vitest';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { useService } from '../support/use-service.ts';
import { type ForwardProxy, startForwardProxy } from './forward-proxy.ts';

const operations = ['searchPostsAll', 'createPosts', 'likePost', 'unlikePost', 'getUsersByUsername', 'getUsersMe'];
const asked = async () => {
  const counts = await Promise.all(operations.map((operation) => sandbox.requests(operation)));
  return counts.reduce((sum, count) => sum + count, 0);
};
const countOf = (text: string, wanted: string) => text.split(wanted).length - 1;

const env = { OUTBOUND_ALLOW: '127.0.0.0/8', LOG_LEVEL: 'trace' };
const { service, sandbox, ada, grace } = await useService(env, { dollars: '5' });
const [one, two] = await Promise.all([
  startForwardProxy({ user: 'first', password: 'p@ss/one?#%20ä' }),
  startForwardProxy({ user: 'second', password: 'swordfish-two' }),
]);

describe('a call through a proxy', () => {
  test.each(['field', 'header'])('is accepted by every action with an actor, as %s', async (place) => {
    const before = [await asked(), countOf(one.heard(), ada.options.authToken ?? '')];
    const extra = place === 'field' ? { proxy: one.url } : {};
    const headers: Record<string, string> = place === 'header' ? { 'x-proxy': one.url } : {};
    const posted = await ada.post('/tweet/create', { text: `By ${place}`, ...extra }, headers);
    expect(posted.body.error).toBeNull();
    const tweet_id = String(posted.body.data['id']);
    const answers = [
      posted,
      await ada.get('/tweet/advanced_search', { q: 'from:ada', ...extra }, headers),
      await ada.get('/user/info', { userName: 'grace', ...extra }, headers),
      await ada.post('/tweet/favorite', { tweet_id, ...extra }, headers),
      await ada.post('/tweet/unlike', { tweet_id, ...extra }, headers),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.map(({ headers }) => headers.get('x-credits-charged'))).toEqual(Array(5).fill('0.001'));
    // All requests to the platform came through the proxy. The first like through it also reads the id of the actor.
    const requests = (await asked()) - (before[0] ?? 0);
    expect(requests).toBe(place === 'field' ? 6 : 5);
    expect(countOf(one.heard(), ada.options.authToken ?? '') - (before[1] ?? 0)).toBe(requests);
    expect(new Set(one.tunnels)).toEqual(new Set([new URL(service.demo.sandboxUrl).host]));
  });

  test('may name it twice, if it is the same; two different ones are 400', async () => {
    const headers = { 'x-proxy': one.url };
    expect((await ada.get('/user/info', { userName: 'ada', proxy: one.url }, headers)).status).toBe(200);
    const before = await asked();
    const error = 'Malformed field: proxy: differs from the header x-proxy';
    expectRefusal(await ada.get('/user/info', { userName: 'ada', proxy: two.url }, headers), 400, error);
    expectRefusal(await ada.post('/tweet/create', { text: 'x', proxy: two.url }, headers), 400, error);
    expect(await asked()).toBe(before);
  });

  test('is for that call alone: the next one without it goes directly', async () => {
    const before = one.heard().length;
    expect((await ada.get('/user/info', { userName: 'ada' })).status).toBe(200);
    expect(one.heard()).toHaveLength(before);
  });

  test('is ignored if the platform is not called', async () => {
    const answer = await ada.get('/account', { proxy: 'socks5://x' }, { 'x-proxy': 'nonsense' });
    expect(answer.status).toBe(200);
  });

  test('interleaved with others through another proxy is never mixed up with them', async () => {
    const [adaToken = '', graceToken = ''] = [ada.options.authToken, grace.options.authToken];
    const [heardOne, heardTwo, before] = [one.heard().length, two.heard().length, await asked()];
    const calls = Array.from({ length: 120 }, (_, i) => {
      const [actor, proxy] = i % 2 === 0 ? [ada, one] : [grace, two];
      if (i % 5 === 0) return actor.post('/tweet/create', { text: `Interleaved ${i}`, proxy: proxy.url });
      if (i % 3 === 0) return actor.get('/tweet/advanced_search', { q: 'tea' }, { 'x-proxy': proxy.url });
      return actor.get('/user/info', { userName: 'linus', proxy: proxy.url });
    });
    const answers = await Promise.all(calls);
    expect(answers.map(({ body, status }) => [status, body.error])).toEqual(Array(120).fill([200, null]));

    const [byOne, byTwo] = [one.heard().slice(heardOne), two.heard().slice(heardTwo)];
    expect(countOf(byOne, adaToken)).toBe(60);
    expect(countOf(byTwo, graceToken)).toBe(60);
    expect(byOne).not.toContain(graceToken);
    expect(byTwo).not.toContain(adaToken);
    expect((await asked()) - before).toBe(120);
    for (const [proxy, other] of [
      [one, two],
      [two, one],
    ] as const) {
      const basic = (of: ForwardProxy) => Buffer.from(`${of.user}:${of.password}`).toString('base64');
      expect(countOf(proxy.heard(), `Basic ${basic(proxy)}`)).toBe(proxy.tunnels.length);
      expect(proxy.heard()).not.toContain(basic(other));
      expect(proxy.tunnels.every((target) => target === new URL(service.demo.sandboxUrl).host)).toBe(true);
      // The proxy receives its password, but the platform does not.
      expect(countOf(proxy.heard(), 'proxy-authorization')).toBe(proxy.tunnels.length);
    }
  });

  test('with another password is another proxy: it gets no tunnel of the right one', async () => {
    expect((await ada.get('/user/info', { userName: 'ada', proxy: one.url })).status).toBe(200);
    const before = await asked();
    const wrong = `http://${one.user}:wr0ng@${one.name}`;
    const error = `The proxy ${one.name} refused the user name or password (407)`;
    expectRefusal(await ada.get('/user/info', { userName: 'ada', proxy: wrong }), 502, error);
    expectRefusal(await ada.post('/tweet/create', { text: 'x', proxy: wrong }), 502, error);
    expectRefusal(
      await ada.get('/user/info', { userName: 'ada', proxy: one.origin }),
      502,
      `The proxy ${one.name} asks for a user name and password (407)`,
    );
    expect(await asked()).toBe(before);
  });

  test('reuses its tunnel while that stands', async () => {
    await ada.get('/user/info', { userName: 'ada', proxy: two.url });
    const before = two.tunnels.length;
    for (let i = 0; i < 5; i++) {
      expect((await ada.get('/user/info', { userName: 'ada', proxy: two.url })).status).toBe(200);
    }
    expect(two.tunnels).toHaveLength(before);
  });

  test('shows no password anywhere', async () => {
    await ada.get('/user/info', { userName: 'nobody_at_all', proxy: one.url });
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    const log = service.log.join('\n');
    for (const secret of ['p@ss/one', encodeURIComponent(one.password), two.password, 'wr0ng', 'Basic ']) {
      expect(log).not.toContain(secret);
      expect(metrics).not.toContain(secret);
    }
    for (const { user, password } of [one, two]) {
      expect(log).not.toContain(Buffer.from(`${user}:${password}`).toString('base64'));
    }
    expect(metrics).toMatch(/outcome="proxy_failed"/);
    expect(await restingBalance(ada)).toMatch(/^4\.\d+$/);
  });
});
