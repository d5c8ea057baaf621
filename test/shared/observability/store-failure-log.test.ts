import { pino } from 'pino';
import { expect, test } from 'vitest';
import { StoreFailureLog } from '../../../src/shared/observability/store-failure-log.ts';

test('an outage with many different errors has a limited number of log lines', () => {
  const lines: string[] = [];
  const log = new StoreFailureLog(pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) }));
  for (let outage = 0; outage < 2; outage++) {
    for (let i = 0; i < 1_000; i++) log.failed(new Error(`connection ${i} closed`));
    log.succeeded();
  }
  expect(lines).toHaveLength(2 * (20 + 1));
  expect(lines.at(-1)).toContain('"failures":1000');
});
