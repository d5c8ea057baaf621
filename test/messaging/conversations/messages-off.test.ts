import { expect, test } from 'vitest';
import { expectRefusal } from '../../support/refusal.ts';
import { dataOf, startMessageFixture } from './fixture.ts';

const { ada, client } = await startMessageFixture({ MESSAGES: '0' });
const reason = 'The operator has turned direct messages off';

test.each([
  ['dm/list', () => ada.get('/dm/list')],
  ['dm/enroll', () => ada.post('/dm/enroll', {})],
  ['webhooks/create', () => ada.post('/webhooks', { url: 'http://localhost:9/', events: ['message.received'] })],
])('MESSAGES=0 refuses %s with a code with 501', async (name, call) => {
  expectRefusal(await call(), 501, `Not supported by this platform: ${name}. ${reason}`);
});

test('MESSAGES=0 is shown by the capabilities', async () => {
  const { actions, event_types } = dataOf(await client.get('/capabilities')) as never as {
    actions: { name: string; reason: string | null }[];
    event_types: string[];
  };
  const unsupported = actions.filter((action) => action.reason === reason).map(({ name }) => name);
  expect(unsupported).toHaveLength(9);
  expect(unsupported.every((name) => name.startsWith('dm/'))).toBe(true);
  expect(event_types.filter((type) => type.startsWith('message.'))).toEqual([]);
});
