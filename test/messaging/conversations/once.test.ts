import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectRefusal } from '../../support/refusal.ts';
import { between, dataOf, type MessageWorld, startMessages, type Writer } from './world.ts';

let world: MessageWorld;
let anna: Writer;
let ben: Writer;
beforeAll(async () => {
  world = await startMessages();
  [anna, ben] = [await world.mint(), await world.mint()];
  await anna.sends(ben, 'First');
});
afterAll(() => world.service.stop());

const texts = async () => (await ben.reads(between(anna, ben), { count: '100' })).map(({ text }) => text);

test('a message with an Idempotency-Key is sent once, and answered the same', async () => {
  const send = (text: string, code?: string) =>
    anna.post(
      '/dm/send',
      { user_id: ben.account.userId, text, ...(code && { encryption_code: code }) },
      { 'idempotency-key': 'once' },
    );
  const first = dataOf(await send('Once'));
  const again = await send('Once');
  expect(dataOf(again)).toEqual(first);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expectRefusal(await send('Another'), 422);
  // The code is part of what makes a request the same.
  expectRefusal(await send('Once', '907351'), 422);
  expect((await texts()).filter((text) => text === 'Once')).toHaveLength(1);
});

test('one whose answer was lost is performed once, however often it is sent again', async () => {
  const headers = { 'idempotency-key': 'lost' };
  const send = () => anna.post('/dm/send', { conversation_id: between(anna, ben), text: 'Lost answer' }, headers);
  // Performed, and then the connection breaks.
  await world.service.addFault({ kind: 'reset_after' }, { operation: 'sendChatEvent', times: 2 });
  for (let attempt = 0; attempt < 2; attempt++) expectRefusal(await send(), 502);
  const sent = dataOf(await send());
  expect(dataOf(await send())).toEqual(sent);
  expect((await texts()).filter((text) => text === 'Lost answer')).toHaveLength(1);
});

test('what failed costs nothing', async () => {
  const { key } = await world.service.makeAccount('1');
  const poor = anna.client.with({ key });
  await poor.get('/dm/messages', { conversation_id: '1:2' }, anna.code);
  expect((await poor.get('/account/balance')).body.data['balance']).toBe('1');
});
