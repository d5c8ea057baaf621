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
