import { afterAll, beforeAll, expect, test } from 'vitest';
import { register, startWorld, until, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

test.each(['another account', 'the same account'])(
  'a receiver that takes 5 s for each of 600 events does not delay the 100 of another webhook of %s',
  async (whose) => {
    const slow = await world.actor();
    const quick = whose === 'the same account' ? slow : await world.actor();
    const tortoise = await world.receiver({ answer: () => ({ status: 200, delayMs: 5_000 }) });
    const hare = await world.receiver();
    await register(slow.client, { url: tortoise.url, events: ['user.follow'] });
    await register(quick.client, { url: hare.url, events: ['tweet.mention'] });
    await world.happen(slow.account, 'follow', 600);
    await until(() => expect(tortoise.deliveries.length).toBeGreaterThan(0));
    await world.happen(quick.account, 'mention', 100);
    await until(() => expect(hare.deliveries).toHaveLength(100));
    expect(tortoise.deliveries.length).toBeLessThan(100);
  },
  30_000,
);

test('an account whose webhooks hold all that they may of a slow host does not hold up another account there', async () => {
  const flood = await world.actor();
  const other = await world.actor();
  const receiver = await world.receiver();
  const hooks = Array.from({ length: 20 }, (_, i) => `${receiver.url}/flood/${i}`);
  for (const url of hooks) await register(flood.client, { url, events: ['user.follow'] });
  await register(other.client, { url: `${receiver.url}/other`, events: ['user.follow'] });
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  receiver.answerWith(async ({ url }) => {
    if (url.includes('/flood/')) await ended;
    return { status: 200 };
  });
  await world.happen(flood.account, 'follow', 20);
  await until(() => expect(receiver.deliveries.length).toBeGreaterThanOrEqual(64));
  await world.happen(other.account);
  const arrived = () => receiver.deliveries.filter(({ url }) => url.endsWith('/other'));
  await until(() => expect(arrived()).toHaveLength(1), 3_000);
  end();
}, 30_000);
