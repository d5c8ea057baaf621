import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { postern } from '../support/command.ts';
import { connect } from '../support/connect.ts';
import { startFleet } from '../support/fleet.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { useMongo } from '../support/use-mongo.ts';

const mongo = await useMongo();

test.each(mongo.isMissing ? ['sqlite'] : ['sqlite', 'mongodb'])(
  'connection on %s: keeps its login across a restore and a key rotation, and is revoked with its account',
  async (kind) => {
    const fleet = await startFleet(kind === 'mongodb' ? mongo.url(`postern-${randomBytes(6).toString('hex')}`) : null);
    const { store, settings, sandboxUrl } = fleet;
    const oauth = async (body?: object): Promise<Record<string, number>> => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${sandboxUrl}/control/${body ? 'oauth' : 'stats'}`, {
        ...(body && { method: 'POST', headers, body: JSON.stringify(body) }),
      });
      return (await answer.json()).oauth;
    };
    const first = await fleet.start();
    const { account, key } = await fleet.newKey(1_000_000);
    const owner = new Client({ baseUrl: first.demo.baseUrl, key });
    const statusOf = async (id: string, by: Client) => (await by.with({ authToken: id }).get('/user/me')).status;
    const ids = [await connect(owner)];

    if (kind === 'sqlite') {
      const backup = join(temporaryFolder(), 'backup');
      expect(await postern(['backup', backup], settings)).toMatchObject({ code: 0 });
      const restored = { ...settings, DATA_DIR: join(temporaryFolder(), 'restored') };
      expect(await postern(['restore', backup], restored)).toMatchObject({ code: 0 });
      const second = await fleet.start(restored);
      expect(await statusOf(ids[0] ?? '', owner.with({ baseUrl: second.demo.baseUrl }))).toBe(200);
      await second.process.end('SIGTERM');
    }

    await oauth({ access_token_seconds: 1 });
    ids.push(await connect(owner));
    await first.process.end('SIGTERM');
    const newKey = randomBytes(32).toString('base64');
    const both = { ...settings, SECRET_KEY: `${newKey},${settings['SECRET_KEY']}` };
    await (await fleet.start(both)).process.end('SIGTERM');
    expect(await postern(['secrets', 'rotate', '--json'], both)).toMatchObject({ code: 0 });
    const only = { ...settings, SECRET_KEY: newKey };
    const { refreshes = 0 } = await oauth();
    const { demo, process } = await fleet.start(only);
    const later = owner.with({ baseUrl: demo.baseUrl });
    for (const id of ids) expect(await statusOf(id, later)).toBe(200);
    expect((await oauth())['refreshes']).toBeGreaterThan(refreshes);

    await process.end('SIGTERM');
    expect(await postern(['account', 'delete', account, '--yes'], only)).toMatchObject({ code: 0 });
    for (const id of ids)
      expect(await store.connections.find(id)).toMatchObject({ revokeAt: expect.any(Number), userId: null });
    await fleet.start(only);
    await until(async () => expect((await oauth())['revocations']).toBe(ids.length));
    await until(async () => {
      const left = await store.connections.listAll(9);
      expect(left.filter((each) => each.account === account)).toEqual([]);
    });
  },
);
