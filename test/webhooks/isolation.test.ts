import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { register, startWebhookFixture } from './fixture.ts';

const fixture = await startWebhookFixture();

test.each(['another account', 'the same account'])(
  'a receiver that takes 5 s for each of 200 events does not delay the 40 of another webhook of %s',
  async (whose) => {
    const slow = await fixture.actor();
    const quick = whose === 'the same account' ? slow : await fixture.actor();
    const tortoise = await fixture.receiver({ answer: () => ({ status: 200, delayMs: 5_000 }) });
    const hare = await fixture.receiver();
    await register(slow.client, { url: tortoise.url, events: ['user.follow'] });
    await register(quick.client, { url: hare.url, events: ['tweet.mention'] });
    await fixture.happen(slow.account, 'follow', 200);
    await until(() => expect(tortoise.deliveries.length).toBeGreaterThan(0));
    await fixture.happen(quick.account, 'mention', 40);
    await until(() => expect(hare.deliveries).toHaveLength(40));
    expect(tortoise.deliveries.length).toBeLessThan(40);
  },
);

test('an account that uses all its connections to a slow host does not delay another account', async () => {
  const flood = await fixture.actor();
  const other = await fixture.actor();
  const receiver = await fixture.receiver();
  const hooks = Array.from({ length: 20 }, (_, i) => `${receiver.url}/flood/${i}`);
  for (const url of hooks) await register(flood.client, { url, events: ['user.follow'] });
  await register(other.client, { url: `${receiver.url}/other`, events: ['user.follow'] });
  // The first account gets no responses until the end of the test.
  receiver.answerWith(({ url }) => (url.includes('/flood/') ? new Promise(() => {}) : { status: 200 }));
  await fixture.happen(flood.account, 'follow', 20);
  await until(() => expect(receiver.deliveries.length).toBeGreaterThanOrEqual(64));
  await fixture.happen(other.account);
  const arrived = () => receiver.deliveries.filter(({ url }) => url.endsWith('/other'));
  await until(() => expect(arrived()).toHaveLength(1));
});
