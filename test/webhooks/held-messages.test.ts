import { afterEach, expect, test } from 'vitest';
import type { Writer } from '../messaging/conversations/fixture.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import type { TestReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { changeWebhook, fetchWebhook, idsOf, register, startWebhookFixture } from './fixture.ts';

const runtime = new AdjustableRuntime();
const fixture = await startWebhookFixture({}, { runtime });
afterEach(() => fixture.sandbox.clearFaults());

type Body = Record<string, unknown> & { type: string };
const bodiesOf = ({ deliveries }: TestReceiver): Body[] => deliveries.map(({ body }) => JSON.parse(body) as Body);
const typesOf = (receiver: TestReceiver): string[] => bodiesOf(receiver).map(({ type }) => type);

/** Creates one webhook with an encryption code and one without, for an account whose chat keys are not cached. */
async function startPair() {
  const [anna, ben] = await fixture.writers();
  const [open, closed] = [await fixture.receiver(), await fixture.receiver()];
  const hook = await register(anna.client, { url: open.url, encryption_code: anna.account.encryptionCode });
  await register(anna.client, { url: closed.url });
  const says = (text: string) =>
    fixture.sandbox.makeMessage({ from: ben.account.userName, to: anna.account.userName, text });
  await says('Heard');
  await until(() => expect(typesOf(open)).toEqual(['message.received']));
  // The clock is advanced only afterwards, because it would otherwise time out the running delivery, which would then be repeated.
  await until(async () => expect((await fetchWebhook(anna.client, hook.id)).last_delivery_at).not.toBeNull());
  runtime.leap(20 * 60_000);
  return { anna, ben, hook, open, closed, says };
}

test.each([{ kind: 'status', status: 500 }, { kind: 'hang' }])(
  'while the key realms fail ($kind) messages wait, and nothing else does; then each comes once',
  async (fault) => {
    const { anna, open, closed, says } = await startPair();
    await fixture.sandbox.setFault({ fault, path_prefix: '/sandbox/realms/', times: null });
    await says('Waits');
    await fixture.happen(anna.account);
    runtime.leap(70_000);
    await until(() => expect(typesOf(closed)).toEqual(['user.follow']));
    await until(() => expect(typesOf(open)).toEqual(['message.received', 'user.follow']));
    await fixture.sandbox.clearFaults();
    runtime.leap(70_000);
    await until(() => expect(bodiesOf(open).at(-1)).toMatchObject({ type: 'message.received', text: 'Waits' }));
    await fixture.happen(anna.account);
    await until(() => expect(typesOf(closed)).toEqual(['user.follow', 'user.follow']));
    expect(open.deliveries.length).toBe(new Set(idsOf(open.deliveries)).size);
  },
);

test('wrong codes of another caller delay messages only, and only until guesses are allowed again', async () => {
  const { anna, open, closed, says } = await startPair();
  const { client } = await fixture.actor();
  const other = client.with({ authToken: anna.account.authToken });
  const guess = async () => (await other.get('/dm/list', {}, { 'x-encryption-code': '907351' })).status;
  for (const status of [403, 403, 403, 429]) expect(await guess()).toBe(status);
  runtime.leap(61_000);
  // The next pause is twice as long.
  expect(await guess()).toBe(403);
  await says('Waits');
  await fixture.happen(anna.account);
  runtime.leap(70_000);
  await until(() => expect(typesOf(closed)).toEqual(['user.follow']));
  await until(() => expect(typesOf(open)).toEqual(['message.received', 'user.follow']));
  runtime.leap(70_000);
  await until(() => expect(bodiesOf(open).at(-1)).toMatchObject({ type: 'message.received', text: 'Waits' }));
  expect(typesOf(open).sort()).toEqual(['message.received', 'message.received', 'user.follow']);
});

test('a page of waiting messages does not delay other events, and all messages arrive', async () => {
  const { anna, open, closed, says } = await startPair();
  await fixture.sandbox.setFault({
    fault: { kind: 'status', status: 500 },
    path_prefix: '/sandbox/realms/',
    times: null,
  });
  const texts = Array.from({ length: 120 }, (_, number) => `Waits ${number}`);
  for (const text of texts) await says(text);
  await fixture.happen(anna.account);
  runtime.leap(70_000);
  await until(() => expect(typesOf(open)).toEqual(['message.received', 'user.follow']));
  await until(() => expect(typesOf(closed)).toEqual(['user.follow']));
  await fixture.sandbox.clearFaults();
  runtime.leap(70_000);
  await until(() => expect(open.deliveries).toHaveLength(texts.length + 2));
  const told = bodiesOf(open).map(({ text }) => text);
  expect(told.filter((text) => text !== 'Heard' && text !== undefined).sort()).toEqual(texts.sort());
  expect(new Set(idsOf(open.deliveries)).size).toBe(open.deliveries.length);
  await says('Heard again');
  await until(() => expect(bodiesOf(open).at(-1)).toMatchObject({ text: 'Heard again' }));
});

test('a message of a conversation that no longer exists is delivered as one that cannot be opened', async () => {
  const { anna, open, says } = await startPair();
  const fault = { kind: 'status', status: 404, code: 'not_found', message: 'No such conversation' };
  await fixture.sandbox.setFault({ fault, operation: 'getChatConversationEvents', times: null });
  await says('Gone');
  await fixture.happen(anna.account);
  runtime.leap(70_000);
  await until(() => expect(typesOf(open)).toEqual(expect.arrayContaining(['user.follow'])));
  // The order of deliveries is not guaranteed.
  const unreadable = expect.objectContaining({ text: '', undecryptable: 'no_key' });
  await until(() => expect(bodiesOf(open)).toContainEqual(unreadable));
});

test('a webhook that was moved to another account for some time gets no waiting or later messages of the first account', async () => {
  const { anna, ben, hook, open, closed, says } = await startPair();
  await fixture.sandbox.setFault({
    fault: { kind: 'status', status: 500 },
    path_prefix: '/sandbox/realms/',
    times: null,
  });
  await says('Waits');
  await fixture.happen(anna.account);
  runtime.leap(70_000);
  await until(() => expect(typesOf(open)).toEqual(['message.received', 'user.follow']));
  const listensTo = async ({ client, account }: Writer) => {
    const put = await changeWebhook(client, 'PUT', `/webhooks/${hook.id}`, { auth_token: account.authToken });
    expect(put.body.data).toMatchObject({ valid: true });
  };
  await listensTo(ben);
  await says('Elsewhere');
  await fixture.happen(anna.account);
  await until(() => expect(typesOf(closed)).toEqual(['user.follow', 'user.follow']));
  await fixture.sandbox.clearFaults();
  await listensTo(anna);
  await until(async () => {
    await says('Back');
    expect(bodiesOf(open).at(-1)).toMatchObject({ text: 'Back' });
  });
  const texts = bodiesOf(open).flatMap(({ type, text }) => (type === 'message.received' ? [text] : []));
  expect([...new Set(texts)]).toEqual(['Heard', 'Back']);
});
