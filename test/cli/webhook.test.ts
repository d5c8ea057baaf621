import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { activityTypes } from '../../src/sandbox/dataset/activity.ts';
import { postern } from '../support/command.ts';
import { startReceiver } from '../support/receiver.ts';
import { startService } from '../support/service.ts';

const secret = 'a-secret-of-16-signs';

const service = await startService();
const receiver = await startReceiver({ secret });
const config = mkdtempSync(join(tmpdir(), 'postern-test-'));
afterAll(async () => {
  await receiver.stop();
  await service.stop();
  rmSync(config, { recursive: true });
});

const run = (...args: string[]) => postern(args, { DATA_DIR: service.dataDir, XDG_CONFIG_HOME: config });

async function json(...args: string[]) {
  const { code, out, err } = await run(...args, '--json');
  expect([code, err]).toEqual([0, expect.not.stringContaining('postern: ')]);
  return JSON.parse(out);
}

test('postern webhook manages a webhook from its creation to its end, and postern trigger causes its events', async () => {
  const { id, valid } = await json(
    'webhook',
    'create',
    receiver.url,
    `secret=${secret}`,
    'events=tweet.like,user.follow',
  );
  expect(valid).toBe(true);
  expect((await run('webhook', 'list')).out).toMatch(
    new RegExp(`^ID +STATE +EVENTS +URL\\n${id} +active +tweet.like,user.follow `),
  );
  expect(await json('webhook', 'test', id)).toMatchObject({ delivered: true });

  const { events } = await json('trigger', 'like', '--to', 'ada', '--from', 'grace');
  expect(events).toMatchObject([{ type: 'like', actor: { screen_name: 'grace' } }]);
  await expect
    .poll(() => receiver.deliveries.map(({ body }) => body))
    .toContainEqual(expect.stringContaining('"tweet.like"'));
  await expect
    .poll(async () => (await run('webhook', 'deliveries', id)).out)
    .toMatch(/^evt_\S+ +tweet\.like +delivered +1 +200 /m);
  const [{ event_id: event }] = (await json('webhook', 'deliveries', id)).deliveries;
  expect((await run('webhook', 'delivery', id, event)).out).toMatch(
    /attempts\nATTEMPT +AT +OUTCOME[^\n]*\n1 +\S+ +delivered +200/,
  );
  expect(await json('webhook', 'resend', id, event)).toMatchObject({ event_id: event });

  expect(await json('webhook', 'pause', id)).toMatchObject({ state: 'paused' });
  expect(await json('webhook', 'resume', id)).toMatchObject({ paused: false });
  expect(await json('webhook', 'update', id, 'events=tweet.like')).toMatchObject({ events: ['tweet.like'] });
  expect(await json('webhook', 'show', id)).toMatchObject({ id, events: ['tweet.like'] });
  expect(await json('webhook', 'replay', id)).toMatchObject({ replayed: 1 });
  expect((await json('webhook', 'rotate', id)).secret).not.toBe(secret);
  expect(await json('webhook', 'delete', id)).toEqual({ id, deleted: true });
  expect(await run('webhook', 'show', id)).toMatchObject({
    code: 5,
    err: expect.stringContaining(`Webhook not found: ${id}`),
  });
});

test('postern trigger sends messages, edits them and reacts to them', async () => {
  for (const type of ['message', 'edit', 'reaction_added', 'reaction_removed', 'deletion']) {
    const from = type.startsWith('reaction') ? ['--to', 'grace', '--from', 'ada'] : ['--to', 'ada'];
    expect((await run('trigger', type, ...from)).out).toMatch(
      /^TIME +TYPE +BY +CONVERSATION +SEQ ID\n\d{4}-\S+ +\w+ +(grace|ada) /,
    );
  }
});

test('postern trigger names all types, and the reason of a refusal', async () => {
  const { code, err } = await run('trigger', 'lik', '--to', 'ada');
  expect(code).toBe(2);
  for (const type of activityTypes) expect(err).toContain(type);
  expect(await run('trigger', 'like', '--to', 'nobody_at_all')).toMatchObject({
    code: 5,
    err: 'postern: No such user: nobody_at_all\n',
  });
  expect((await run('trigger', 'follow', '--to', 'ada', '--tweet', '1')).code).toBe(2);
  expect((await run('trigger', 'message', '--to', 'ada', '--count', '2')).err).toContain('--count is not for messages');
  const env = { DATA_DIR: service.dataDir, POSTERN_SANDBOX_URL: 'http://127.0.0.1:9' };
  const closed = await postern(['trigger', 'like', '--to', 'ada'], env);
  expect(closed).toMatchObject({ code: 7, err: expect.stringContaining('no sandbox responds at http://127.0.0.1:9') });
});

test('postern webhook names the nearest command', async () => {
  expect(await run('webhook', 'deliverys', 'wh_x')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Did you mean'),
  });
  expect((await run('webhook', 'show')).err).toContain("missing required argument 'id'");
});
