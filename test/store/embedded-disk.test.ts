import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseDollars } from '../../src/shared/model/money.ts';
import { atEnd } from '../support/at-end.ts';
import { Client } from '../support/client.ts';
import { postern } from '../support/command.ts';
import { readDemo } from '../support/demo.ts';
import { startPostern } from '../support/process.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';

const price = 1_000;
const probe = mountSmallDisk();
probe?.end();

let disk: SmallDisk;
let env: Record<string, string>;

beforeEach(() => {
  if (probe === null) return;
  disk = mountSmallDisk() as SmallDisk;
  atEnd(disk.end);
  env = { DATA_DIR: join(disk.path, 'data'), PORT: '0', SANDBOX_PORT: '0' };
});

async function serve() {
  const service = startPostern(['serve'], env);
  atEnd(() => service.end('SIGKILL'));
  await service.printed(/listening on/);
  const demo = readDemo(join(disk.path, 'data'));
  const client = new Client({ baseUrl: demo.baseUrl, key: demo.apiKey, authToken: demo.accounts[0].authToken });
  const readyz = async () => (await fetch(demo.baseUrl.replace('/v1', '/readyz'))).status;
  return { ...service, client, readyz };
}

interface Seen {
  acknowledged: string[];
  /** Calls that were refused without a charge, and calls with an unknown outcome. */
  refused: number;
  unknown: number;
}

/** Posts tweets one after the other until `enough` returns true. */
async function tweet(client: Client, seen: Seen, enough: () => boolean): Promise<void> {
  while (!enough()) {
    const answer = await client.post('/tweet/create', { text: `Room for one more? ${Math.random()}` });
    const message = answer.body.error ?? '';
    if (answer.status === 200) seen.acknowledged.push(String(answer.body.data['id']));
    else {
      expect([502, 503]).toContain(answer.status);
      expect(message).toMatch(/store is unavailable|platform failed|could not be recorded/);
      if (/nothing was charged/i.test(message)) seen.refused++;
      else seen.unknown++;
    }
  }
}

async function chargedMicros(): Promise<{ charged: number; held: number }> {
  const [account] = JSON.parse((await postern(['account', 'list', '--json'], env)).out) as Record<string, string>[];
  const read = (name: string) => parseDollars(account?.[name] ?? '') ?? Number.NaN;
  expect(read('balance') + read('held') + read('charged')).toBe(10_000_000);
  return { charged: read('charged'), held: read('held') };
}

describe.skipIf(probe === null)('a disk that fills up', () => {
  test('makes calls 503 and the service not ready, loses nothing, and has no effect once there is space again', async () => {
    const service = await serve();
    const seen: Seen = { acknowledged: [], refused: 0, unknown: 0 };
    let ended = false;
    const callers = Array.from({ length: 4 }, () => tweet(service.client, seen, () => ended));
    await expect.poll(() => seen.acknowledged.length).toBeGreaterThan(20);
    disk.fill();
    const whenFull = seen.acknowledged.length;
    await expect.poll(() => service.readyz()).toBe(503);
    await expect.poll(() => seen.refused).toBeGreaterThan(20);
    expect(seen.acknowledged.length - whenFull).toBeLessThan(50);
    expect((await service.client.get('/account/balance')).status).toBe(200);

    disk.makeRoom();
    const before = seen.acknowledged.length;
    await expect.poll(() => seen.acknowledged.length).toBeGreaterThan(before + 10);
    await expect.poll(() => service.readyz()).toBe(200);
    ended = true;
    await Promise.all(callers);
    expect(await service.end('SIGTERM')).toBe(0);

    const lines = service
      .log()
      .split('\n')
      .filter((line) => line.includes('"the store'));
    expect(lines.filter((line) => /is full: free some space on it/.test(line)).length).toBeGreaterThanOrEqual(1);
    expect(lines.filter((line) => /the store fails/.test(line)).length).toBeLessThanOrEqual(3);
    expect(lines.at(-1)).toMatch(/the store has recovered/);

    const { charged, held } = await chargedMicros();
    expect(held).toBe(0);
    expect(charged).toBeGreaterThanOrEqual(seen.acknowledged.length * price);
    expect(charged).toBeLessThanOrEqual((seen.acknowledged.length + seen.unknown) * price);
    const again = await serve();
    for (const id of [seen.acknowledged[0], seen.acknowledged[whenFull - 1], seen.acknowledged.at(-1)]) {
      expect((await again.client.get('/tweet/detail', { tweet_id: id ?? '' })).status).toBe(200);
    }
  });

  test('lets a service stop gracefully, and refuses a start with one line', async () => {
    const service = await serve();
    expect((await service.client.post('/tweet/create', { text: 'Before' })).status).toBe(200);
    disk.fill();
    await service.client.post('/tweet/create', { text: 'After' });
    expect(await service.end('SIGTERM')).toBe(0);
    disk.fill();
    const refused = await postern(['serve'], env);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^postern: .*postern-disk-.*the? disk.* is full.* free some space on it.*\n$/i);
    disk.makeRoom();
    expect((await chargedMicros()).charged).toBe(price);
  });

  test.each([0, 70_000, 130_000])('is reported at a first start with %i free bytes', async (room) => {
    disk.fill(room);
    const { code, err } = await postern(['serve'], env);
    expect(code).toBe(1);
    expect(err).toMatch(/^postern: .*full.*\n$/i);
    disk.makeRoom();
    expect((await serve()).child.exitCode).toBeNull();
  });
});

test.skipIf(probe === null)('a read-only disk is reported in one line, and the service does not start', async () => {
  const service = await serve();
  await service.end('SIGTERM');
  disk.remount('ro');
  for (const [command, dataDir] of [
    [['serve'], env['DATA_DIR']],
    [['account', 'create', '--name', 'Ada'], env['DATA_DIR']],
    [['serve'], join(disk.path, 'other')],
    [['account', 'list'], join(disk.path, 'other')],
  ] as const) {
    const { code, out, err } = await postern(command, { ...env, DATA_DIR: dataDir ?? '' });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^postern: .*mounted read-only.*\n$/);
    expect(err).toMatch(/DATA_DIR|postern-disk-/);
  }
});
