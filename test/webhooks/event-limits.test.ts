import { afterEach, describe, expect, test } from 'vitest';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import type { Client } from '../support/client.ts';
import { until } from '../support/until.ts';
import { type AnsweringProxy, type AskedPage, mentionsAfter, startAnsweringProxy } from './answering-proxy.ts';
import { changeWebhook, fetchWebhook, idsOf, register, startWebhookFixture } from './fixture.ts';

const hour = 3_600_000;
const runtime = new AdjustableRuntime();
const fixture = await startWebhookFixture(
  {
    OUTBOUND_ALLOW: '127.0.0.0/8',
    PLATFORM_WAIT_MS: '0',
    // A request that is in flight while the clock leaps several times must not time out.
    PLATFORM_TIMEOUT_MS: '600000',
    POLLER_EVENTS_PER_MINUTE: '100000',
    POLLER_EVENTS_PER_DAY: '300',
    ACCOUNT_EVENT_MIB_PER_DAY: '1',
  },
  { runtime },
);

async function proxyThatAnswers(answer: (page: AskedPage & { after: number }) => Record<string, unknown>) {
  return startAnsweringProxy((page) => answer({ ...page, after: page.after ?? 0 }));
}

/** Advances the clock by `ms` until the check passes. */
async function leapUntil(ms: number, check: () => void | Promise<void>): Promise<void> {
  await until(async () => {
    try {
      await check();
    } catch (error) {
      runtime.leap(ms);
      await new Promise((resolve) => setTimeout(resolve, 50));
      throw error;
    }
  });
}

const lastError = async (client: Client, { id }: { id: string }) => (await fetchWebhook(client, id)).last_error;

describe('event limits', () => {
  afterEach(() => fixture.sandbox.clearFaults());

  test('leaves events above the daily limit at the platform and delivers each of them later, once', async () => {
    const total = 450;
    const proxy = await proxyThatAnswers(({ after, count }) => mentionsAfter(after, Math.min(count, total - after)));
    const { client } = await fixture.actor();
    const other = await fixture.actor();
    const [receiver, direct] = [await fixture.receiver(), await fixture.receiver()];
    const webhook = await register(client, { url: receiver.url, proxy: proxy.url });
    await register(other.client, { url: direct.url });
    // The fourth page overdraws the limit, because its size is known only when it has arrived.
    await until(() => expect(receiver.deliveries).toHaveLength(400));
    expect(proxy.polls).toHaveLength(4);
    await leapUntil(10_000, async () =>
      expect(await lastError(client, webhook)).toMatch(/^Nothing new is read .*: more events have happened than/),
    );
    // A change of the webhook does not renew the limit.
    await changeWebhook(client, 'PATCH', `/webhooks/${webhook.id}`, { events: null });
    await fixture.happen(other.account);
    await leapUntil(1_000, () => expect(direct.deliveries).toHaveLength(1));
    expect(proxy.polls).toHaveLength(4);
    runtime.leap(9 * hour);
    await leapUntil(1_000, () => expect(receiver.deliveries).toHaveLength(total));
    expect(new Set(idsOf(receiver.deliveries)).size).toBe(total);
    await until(async () => expect(await lastError(client, webhook)).toBeNull());
  });

  test('limits the stored bytes of an account over all of its pollers', async () => {
    const text = 'x'.repeat(25_000);
    const proxies: AnsweringProxy[] = [];
    for (let number = 0; number < 3; number++) {
      proxies.push(await proxyThatAnswers(({ after, count }) => mentionsAfter(after, count, text)));
    }
    const { client } = await fixture.actor();
    const receiver = await fixture.receiver();
    for (const { url } of proxies)
      await register(client, { url: `${receiver.url}?${url}`, proxy: url, events: ['user.follow'] });
    await until(() => expect(proxies.flatMap(({ polls }) => polls).length).toBeGreaterThan(0));
    await leapUntil(30_000, async () => {
      const { webhooks } = (await client.get('/webhooks')).body.data as { webhooks: { last_error: string | null }[] };
      expect(webhooks.filter(({ last_error }) => last_error !== null).length).toBeGreaterThan(0);
    });
    // One page has 3 MiB, which is the allowance of three days. Each poller may have asked for two pages before that.
    for (const { polls } of proxies) expect(polls.length).toBeLessThanOrEqual(2);
  });

  test('reports events that the platform did not keep in last_error for 24 hours', async () => {
    const proxy = await proxyThatAnswers(({ after }) => mentionsAfter(after, after < 1 ? 1 : 0, 'Hello', after < 1));
    const { client, receiver, id } = await fixture.webhook({ proxy: proxy.url });
    await until(() => expect(receiver.deliveries).toHaveLength(1));
    expect(await fetchWebhook(client, id)).toMatchObject({
      state: 'active',
      last_error: expect.stringMatching(/^Events before .* are missing/),
    });
    runtime.leap(24 * hour);
    await until(async () => expect(await lastError(client, { id })).toBeNull());
  });

  describe('refused responses', () => {
    const tooMany = ({ after, count }: { after: number; count: number }) => mentionsAfter(after, count + 1);

    test('are asked for again with fewer events, so that a page that is too large is read in parts', async () => {
      const proxy = await proxyThatAnswers((page) => (page.count > 10 ? tooMany(page) : mentionsAfter(page.after, 3)));
      const { receiver } = await fixture.webhook({ proxy: proxy.url });
      await leapUntil(1_000, () => expect(receiver.deliveries.length).toBeGreaterThanOrEqual(3));
      expect(proxy.polls.slice(0, 2).map(({ count }) => count)).toEqual([100, 10]);
    });

    test('stop the poller after 20 in a row, until PUT renews the credentials', async () => {
      let isHostile = true;
      const proxy = await proxyThatAnswers((page) =>
        isHostile ? tooMany(page) : mentionsAfter(page.after, page.after < 1 ? 1 : 0),
      );
      const { client, account, receiver, ...webhook } = await fixture.webhook({ proxy: proxy.url });
      await leapUntil(60_000, async () =>
        expect(await lastError(client, webhook)).toMatch(/^Not polled any more: 20 responses in a row were refused/),
      );
      expect(proxy.polls).toHaveLength(20);
      expect(await lastError(client, webhook)).not.toContain('127.0.0.1');
      isHostile = false;
      const credentials = { auth_token: account.authToken, proxy: proxy.url };
      await changeWebhook(client, 'PUT', `/webhooks/${webhook.id}`, credentials);
      await leapUntil(1_000, () => expect(receiver.deliveries).toHaveLength(1));
      expect(await lastError(client, webhook)).toBeNull();
    });

    test('of many webhooks of one account cause as many requests as those of one webhook', async () => {
      const proxies: AnsweringProxy[] = [];
      for (let number = 0; number < 5; number++) proxies.push(await proxyThatAnswers(tooMany));
      const { client } = await fixture.actor();
      const receiver = await fixture.receiver();
      const ids: string[] = [];
      for (const { url } of proxies)
        ids.push((await register(client, { url: `${receiver.url}?${url}`, proxy: url })).id);
      const polls = () => proxies.reduce((sum, proxy) => sum + proxy.polls.length, 0);
      await until(() => {
        for (const proxy of proxies) expect(proxy.polls.length).toBeGreaterThan(0);
      });
      // Changes of webhooks do not skip the pause.
      for (const id of ids) await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { events: null });
      for (let minutes = 0; minutes < 60; minutes++) {
        runtime.leap(60_000);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      // After one poll of each webhook, the account has one at most every eight minutes. Five accounts would have fifty.
      expect(polls()).toBeLessThan(25);
    });

    test('and failures of many webhooks of one account cause one request a second', async () => {
      let isDown = false;
      const proxies: AnsweringProxy[] = [];
      for (let number = 0; number < 10; number++) {
        proxies.push(await proxyThatAnswers(({ after }) => (isDown ? { status: 503 } : mentionsAfter(after, 0))));
      }
      const { client } = await fixture.actor();
      const receiver = await fixture.receiver();
      for (const { url } of proxies) await register(client, { url: `${receiver.url}?${url}`, proxy: url });
      await until(() => {
        for (const proxy of proxies) expect(proxy.polls.length).toBeGreaterThan(0);
      });
      const polls = () => proxies.reduce((sum, proxy) => sum + proxy.polls.length, 0);
      const [before, downAt] = [polls(), runtime.now()];
      isDown = true;
      for (let leaps = 0; leaps < 40; leaps++) {
        runtime.leap(500);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      // The first failure of each poller is repeated before its turn.
      expect(polls() - before).toBeLessThanOrEqual(2 * proxies.length + (runtime.now() - downAt) / 1_000);
    });

    test('include refused cursors, so that a gap does not follow another one at once', async () => {
      let isHostile = true;
      const errors = [{ parameters: { pagination_token: ['0'] }, message: 'not valid' }];
      const refusal = { status: 400, title: 'Invalid Request', type: 'about:blank', errors };
      const proxy = await proxyThatAnswers(({ after }) =>
        isHostile ? refusal : mentionsAfter(after, after < 1 ? 1 : 0),
      );
      const { receiver } = await fixture.webhook({ proxy: proxy.url });
      await leapUntil(5_000, () => expect(proxy.polls.length).toBeGreaterThan(7));
      const before = proxy.polls.length;
      runtime.leap(5_000);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(proxy.polls.length).toBeLessThanOrEqual(before + 1);
      isHostile = false;
      await leapUntil(60_000, () => expect(receiver.deliveries).toHaveLength(1));
    });

    test("of the operator's platform never stop a poller", async () => {
      const { client, account, receiver, ...webhook } = await fixture.webhook();
      const failures = () => fixture.service.log.filter((line) => line.includes('cannot be understood')).length;
      const before = failures();
      await fixture.service.addFault({ kind: 'wrong_shape' }, { operation: 'activity', times: null });
      await leapUntil(60_000, () => expect(failures() - before).toBeGreaterThan(25));
      expect(await lastError(client, webhook)).toMatch(/^Nothing new is read from the platform/);
      await fixture.sandbox.clearFaults();
      await fixture.happen(account);
      await leapUntil(10_000, () => expect(receiver.deliveries).toHaveLength(1));
    });
  });
});
