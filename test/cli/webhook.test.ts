import { afterAll, expect, test } from 'vitest';
import { activityTypes } from '../../src/sandbox/dataset/activity.ts';
import { postern } from '../support/command.ts';
import { startReceiver } from '../support/receiver.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { useService } from '../support/use-service.ts';

const secret = 'a-secret-of-16-signs';

const { service } = await useService();
const receiver = await startReceiver({ secret });
afterAll(() => receiver.stop());
const config = temporaryFolder();

const run = (...args: string[]) => postern(args, { DATA_DIR: service.dataDir, XDG_CONFIG_HOME: config });

async function json(...args: string[]) {
  const { code, out, err } = await run(...args, '--json');
  expect([code, err]).toEqual([0, expect.not.stringContaining('postern: ')]);
  return JSON.parse(out);
}

test('postern webhook manages a webhook from its creation to its end, and postern trigger causes its events', async () => {
  const options = [`secret=${secret}`, 'events=tweet.like,user.follow'];
  const { id, valid } = await json('webhook', 'create', receiver.url, ...options);
  expect(valid).toBe(true);
  expect((await run('webhook', 'list')).out).toMatch(
    new RegExp(`^ID +STATE +EVENTS +URL\\n${id} +active +tweet.like,user.follow `),
  );
  expect(await json('webhook', 'test', id)).toMatchObject({ delivered: true });

  const { events } = await json('trigger', 'like', '--to', 'ada', '--from', 'grace');
  expect(events).toMatchObject([{ type: 'like', actor: { screen_name: 'grace' } }]);
  const bodies = () => receiver.deliveries.map(({ body }) => body);
  await expect.poll(bodies).toContainEqual(expect.stringContaining('"tweet.like"'));
  const deliveries = async () => (await run('webhook', 'deliveries', id)).out;
  await expect.poll(deliveries).toMatch(/^evt_\S+ +tweet\.like +delivered +1 +200 /m);
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
  const gone = expect.stringContaining(`Webhook not found: ${id}`);
  expect(await run('webhook', 'show', id)).toMatchObject({ code: 5, err: gone });
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
  const unknown = await run('trigger', 'like', '--to', 'nobody_at_all');
  expect(unknown).toMatchObject({ code: 5, err: 'postern: No such user: nobody_at_all\n' });
  expect((await run('trigger', 'follow', '--to', 'ada', '--tweet', '1')).code).toBe(2);
  expect((await run('trigger', 'message', '--to', 'ada', '--count', '2')).err).toContain('--count is not for messages');
  const env = { DATA_DIR: service.dataDir, POSTERN_SANDBOX_URL: 'http://127.0.0.1:9' };
  const closed = await postern(['trigger', 'like', '--to', 'ada'], env);
  expect(closed).toMatchObject({ code: 7, err: expect.stringContaining('no sandbox responds at http://127.0.0.1:9') });
});

test('postern webhook names the nearest command', async () => {
  const mistyped = await run('webhook', 'deliverys', 'wh_x');
  expect(mistyped).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean') });
  expect((await run('webhook', 'show')).err).toContain("missing required argument 'id'");
});
