import { expect, test } from 'vitest';
import { killing, killsTimeoutMs, surviveKills } from './kills.ts';

test(`a gateway on the embedded store, killed ${killing.kills} times, loses no event and repeats only the same ones`, {
  timeout: killsTimeoutMs,
}, async () => {
  // At most the running deliveries of each receiver and the results that were not stored yet are repeated.
  expect(await surviveKills(null, 1)).toBeLessThan(killing.kills * 4 * 20);
});
