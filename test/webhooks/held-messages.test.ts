import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Writer } from '../messaging/conversations/world.ts';
import type { TestReceiver } from '../support/receiver.ts';
import { change, idsOf, LeapingRuntime, look, register, startWorld, until, type World } from './world.ts';

const runtime = new LeapingRuntime();
let world: World;
beforeAll(async () => {
  world = await startWorld({}, { runtime });
});
afterEach(() => world.sandbox.clearFaults());
afterAll(() => world.stop());

type Body = Record<string, unknown> & { type: string };
const bodiesOf = ({ deliveries }: TestReceiver): Body[] => deliveries.map(({ body }) => JSON.parse(body) as Body);
const typesOf = (receiver: TestReceiver): string[] => bodiesOf(receiver).map(({ type }) => type);

/** One webhook with a code and one without, of an account whose keys the gateway knows no more. */
async function startPair() {
  const { client } = await world.actor();
  const mint = async () => new Writer((await world.sandbox.mint()) as never, client);
  const [anna, ben] = [await mint(), await mint()];
  const [open, closed] = [await world.receiver(), await world.receiver()];
  const hook = await register(anna.client, { url: open.url, encryption_code: anna.account.encryptionCode });
  await register(anna.client, { url: closed.url });
  const says = (text: string) =>
    world.sandbox.makeMessage({ from: ben.account.userName, to: anna.account.userName, text });
  await says('Heard');
  await until(() => expect(typesOf(open)).toEqual(['message.received']));
  // Else the leap would time out what is still under way, and it came twice.
  await until(async () => expect((await look(anna.client, hook.id)).last_delivery_at).not.toBeNull());
  runtime.leap(20 * 60_000);
  return { anna, ben, hook, open, closed, says };
}

test.each([{ kind: 'status', status: 500 }, { kind: 'hang' }])(
  'while the key realms fail ($kind) messages wait, and nothing else does; then each comes once',
  async (fault) => {
    const { anna, open, closed, says } = await startPair();
    await world.sandbox.setFault({ fault, path_prefix: '/realms/', times: null });
    await says('Waits');
    await world.happen(anna.account);
    runtime.leap(70_000);
    await until(() => expect(typesOf(closed)).toEqual(['user.follow']));
    await until(() => expect(typesOf(open)).toEqual(['message.received', 'user.follow']));
    await world.sandbox.clearFaults();
    runtime.leap(70_000);
    await until(() => expect(bodiesOf(open).at(-1)).toMatchObject({ type: 'message.received', text: 'Waits' }));
    await world.happen(anna.account);
    await until(() => expect(typesOf(closed)).toEqual(['user.follow', 'user.follow']));
    expect(open.deliveries.length).toBe(new Set(idsOf(open.deliveries)).size);
  },
  60_000,
);

test('wrong codes that somebody else tries hold up messages alone, and no longer than they have to', async () => {
  const { anna, open, closed, says } = await startPair();
  const { client } = await world.actor();
  const other = client.with({ authToken: anna.account.authToken });
  const guess = async () => (await other.get('/dm/list', {}, { 'x-encryption-code': '907351' })).status;
  for (const status of [403, 403, 403, 429]) expect(await guess()).toBe(status);
  runtime.leap(61_000);
  // The wait that follows is twice as long.
  expect(await guess()).toBe(403);
  await says('Waits');
  await world.happen(anna.account);
  runtime.leap(70_000);
  await until(() => expect(typesOf(closed)).toEqual(['user.follow']));
  await until(() => expect(typesOf(open)).toEqual(['message.received', 'user.follow']));
  runtime.leap(70_000);
  await until(() => expect(bodiesOf(open).at(-1)).toMatchObject({ type: 'message.received', text: 'Waits' }));
  expect(typesOf(open).sort()).toEqual(['message.received', 'message.received', 'user.follow']);
}, 60_000);

test('a page full of messages that wait stands in the way of nothing, and all of them come', async () => {
  const { anna, open, closed, says } = await startPair();
  await world.sandbox.setFault({ fault: { kind: 'status', status: 500 }, path_prefix: '/realms/', times: null });
  const texts = Array.from({ length: 120 }, (_, number) => `Waits ${number}`);
  for (const text of texts) await says(text);
  await world.happen(anna.account);
  runtime.leap(70_000);
  await until(() => expect(typesOf(open)).toEqual(['message.received', 'user.follow']));
  await until(() => expect(typesOf(closed)).toEqual(['user.follow']));
  await world.sandbox.clearFaults();
  runtime.leap(70_000);
  await until(() => expect(open.deliveries).toHaveLength(texts.length + 2));
  const told = bodiesOf(open).map(({ text }) => text);
  expect(told.filter((text) => text !== 'Heard' && text !== undefined).sort()).toEqual(texts.sort());
  expect(new Set(idsOf(open.deliveries)).size).toBe(open.deliveries.length);
  await says('Heard again');
  await until(() => expect(bodiesOf(open).at(-1)).toMatchObject({ text: 'Heard again' }));
}, 60_000);

test('a message of a conversation that is there no more is told as one that does not open', async () => {
  const { anna, open, says } = await startPair();
  const fault = { kind: 'status', status: 404, code: 'not_found', message: 'No such conversation' };
  await world.sandbox.setFault({ fault, operation: 'chatConversation', times: null });
  await says('Gone');
  await world.happen(anna.account);
  runtime.leap(70_000);
  await until(() => expect(typesOf(open)).toEqual(expect.arrayContaining(['user.follow'])));
  // Deliveries have no promised order.
  const unreadable = expect.objectContaining({ text: '', undecryptable: 'no_key' });
  await until(() => expect(bodiesOf(open)).toContainEqual(unreadable));
}, 60_000);

test('a webhook that listens to another account for a while gets nothing of what waited or came meanwhile', async () => {
  const { anna, ben, hook, open, closed, says } = await startPair();
  await world.sandbox.setFault({ fault: { kind: 'status', status: 500 }, path_prefix: '/realms/', times: null });
  await says('Waits');
  await world.happen(anna.account);
  runtime.leap(70_000);
  await until(() => expect(typesOf(open)).toEqual(['message.received', 'user.follow']));
  const listensTo = async ({ client, account }: Writer) => {
    const put = await change(client, 'PUT', `/webhooks/${hook.id}`, { auth_token: account.authToken });
    expect(put.body.data).toMatchObject({ valid: true });
  };
  await listensTo(ben);
  await says('Elsewhere');
  await world.happen(anna.account);
  await until(() => expect(typesOf(closed)).toEqual(['user.follow', 'user.follow']));
  await world.sandbox.clearFaults();
  await listensTo(anna);
  await until(async () => {
    await says('Back');
    expect(bodiesOf(open).at(-1)).toMatchObject({ text: 'Back' });
  });
  const texts = bodiesOf(open).flatMap(({ type, text }) => (type === 'message.received' ? [text] : []));
  expect([...new Set(texts)]).toEqual(['Heard', 'Back']);
}, 60_000);
