import { expect, test } from 'vitest';
import { expectRefusal } from '../../support/refusal.ts';
import { conversationIdOf, dataOf, startMessageFixture } from './fixture.ts';

const fixture = await startMessageFixture();
const [anna, ben] = [await fixture.mint(), await fixture.mint()];
await anna.sends(ben, 'First');

const texts = async () => (await ben.reads(conversationIdOf(anna, ben), { count: '100' })).map(({ text }) => text);

test('a message with an Idempotency-Key is sent once, and its response is repeated', async () => {
  const send = (text: string, more: object = {}) =>
    anna.post('/dm/send', { user_id: ben.account.userId, text, ...more }, { 'idempotency-key': 'once' });
  const first = dataOf(await send('Once'));
  const again = await send('Once');
  expect(dataOf(again)).toEqual(first);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expectRefusal(await send('Another'), 422);
  // The encryption code is part of the request's content.
  expectRefusal(await send('Once', { encryption_code: '907351' }), 422);
  expect((await texts()).filter((text) => text === 'Once')).toHaveLength(1);
});

test('a message whose response was lost is sent once, even if the request is repeated', async () => {
  const headers = { 'idempotency-key': 'lost' };
  const send = () =>
    anna.post('/dm/send', { conversation_id: conversationIdOf(anna, ben), text: 'Lost answer' }, headers);
  // The call is performed, and then the connection breaks.
  await fixture.service.addFault({ kind: 'reset_after' }, { operation: 'sendChatMessage', times: 2 });
  for (let attempt = 0; attempt < 2; attempt++) expectRefusal(await send(), 502);
  const sent = dataOf(await send());
  expect(dataOf(await send())).toEqual(sent);
  expect((await texts()).filter((text) => text === 'Lost answer')).toHaveLength(1);
});
