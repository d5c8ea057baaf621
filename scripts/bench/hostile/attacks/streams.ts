// Attacks with many open live streams.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attacks, Headers, Target } from '../target.ts';

async function open(target: Target, count: number, headers: Headers = {}): Promise<void> {
  const statuses = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    let answered = false;
    target.connect(target.head('GET', '/v1/events', headers), (chunk) => {
      if (answered) return;
      answered = true;
      const status = chunk.toString('latin1', 9, 12);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    if (i % 50 === 49) await sleep(100);
  }
  for (let waited = 0; waited < 15_000 && [...statuses.values()].reduce((a, b) => a + b, 0) < count; waited += 100)
    await sleep(100);
  for (const [status, number] of statuses) target.statuses.set(status, number);
}

export const attacks: Attacks = {
  'streams: 600 of one key, 10 s': async (target) => {
    await open(target, 600);
    const { statuses } = target;
    const opened = new Map(statuses);
    await target.begin();
    for (const [status, number] of opened) statuses.set(status, number);
    await sleep(10_000);
  },
  'streams: 200 that begin a day ago': async (target) => {
    await open(target, 200, { 'last-event-id': 'evt_AAAAAAAAAAAAAAAAAAAAAAAA' });
  },
  'streams: opened and closed 500 times': (target) =>
    target.many(500, 20, () => target.raw(target.head('GET', '/v1/events'))),
};
