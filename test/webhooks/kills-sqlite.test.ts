import { expect, test } from 'vitest';
import { killing, killsTimeoutMs, surviveKills } from './kills.ts';

test(`a gateway on the embedded store, killed ${killing.kills} times, loses no event and repeats only the same ones`, {
  timeout: killsTimeoutMs,
}, async () => {
  // At most what was under way at each receiver, and what the store was about to be told.
  expect(await surviveKills(null, 1)).toBeLessThan(killing.kills * 4 * 20);
});
