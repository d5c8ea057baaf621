import { expect, test } from 'vitest';
import { repetitions } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Account, type Json, request } from './harness.ts';
import { kill, startChild } from './killable.ts';

const dataDir = temporaryFolder();

test('kill -9 at any time loses no event that was acknowledged or read, and its cursor stays valid', async () => {
  const acknowledged: string[] = [];
  const read: Json[] = [];
  let cursor = '';
  let first = '';
  const poll = async (url: string, as: Account, from: string): Promise<Json> => {
    const query = from === '' ? '' : `&pagination_token=${from}`;
    return (await request(url, 'GET', `/sandbox/activity?max_results=100${query}`, { as })).body;
  };
  const drain = async (url: string, as: Account): Promise<void> => {
    for (;;) {
      const { data, meta } = await poll(url, as, cursor);
      read.push(...data);
      cursor = meta.next_token;
      if (data.length === 0) return;
    }
  };
  for (let round = 0; round < repetitions(2, 3); round++) {
    const { child, url } = await startChild(dataDir);
    const [ada] = (await request(url, 'GET', '/control/info')).body.demo.accounts as [Account];
    if (cursor === '') cursor = first = (await poll(url, ada, '')).meta.next_token;
    const before = acknowledged.length;
    const makers = Array.from({ length: 4 }, async () => {
      for (;;) {
        const body = { type: 'mention', userName: 'ada', count: 3 };
        const { events } = (await request(url, 'POST', '/control/events', { body })).body;
        acknowledged.push(...events.map(({ id }: Json) => id));
      }
    });
    const reader = (async () => {
      for (;;) await drain(url, ada);
    })();
    const ended = Promise.allSettled([...makers, reader]);
    await expect.poll(() => acknowledged.length, { interval: 5 }).toBeGreaterThan(before + 10 + round * 20);
    await kill(child);
    await ended;
  }

  const { url } = await startChild(dataDir);
  const [ada] = (await request(url, 'GET', '/control/info')).body.demo.accounts as [Account];
  await drain(url, ada);
  const ids = read.map(({ id }) => id);
  expect(acknowledged.length).toBeGreaterThan(20);
  expect(new Set(ids).size).toBe(ids.length);
  expect(acknowledged.filter((id) => !ids.includes(id))).toEqual([]);
  const before = read.splice(0);
  cursor = first;
  await drain(url, ada);
  expect(read).toEqual(before);
});
