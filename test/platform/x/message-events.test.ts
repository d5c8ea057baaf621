import { describe, expect, test } from 'vitest';
import { OutboundGuard } from '../../../src/outbound/guard.ts';
import { ProxyPool } from '../../../src/outbound/proxy-pool.ts';
import { XPlatform } from '../../../src/platform/x/adapter.ts';
import { eventTypes } from '../../../src/shared/model/event.ts';
import { systemRuntime as runtime } from '../../../src/shared/runtime/runtime.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { dataOf, Writer } from '../../messaging/conversations/fixture.ts';
import { ChatClient, seqIdOf } from '../../sandbox/chat-client.ts';
import { openSandbox } from '../../sandbox/harness.ts';
import { AdjustableRuntime } from '../../support/adjustable-runtime.ts';
import { atEnd } from '../../support/at-end.ts';
import { startCheckedX } from '../../support/checked-x.ts';
import { Client } from '../../support/client.ts';
import { startReceiver } from '../../support/receiver.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { useService } from '../../support/use-service.ts';
import { register, secret } from '../../webhooks/fixture.ts';

describe('activity of the adapter for X', async () => {
  const sandbox = await openSandbox();
  const checked = await startCheckedX(sandbox.url);
  atEnd(() => checked.stop());
  const guard = new OutboundGuard({ allow: [], runtime });
  const proxies = new ProxyPool({ guard, runtime, maxResponseBytes: 1_024, timeoutMs: 5_000 });
  atEnd(() => proxies.close());
  const platformAt = (origin: string) => {
    const options = { timeoutMs: 20_000, runtime, proxies, appToken: null, identifiers: null };
    const platform = new XPlatform({ ...options, origin, onCreditExhausted: () => {} });
    atEnd(() => platform.close());
    return platform;
  };
  const [anna, ben, carl] = [await sandbox.mint(), await sandbox.mint(), await sandbox.mint()];
  const [annas, bens, carls] = [anna, ben, carl].map((each, at) => new ChatClient(sandbox.url, each, `minted:${at}`));
  if (!annas || !bens || !carls) throw new Error('no clients');
  const call = { account: 'acc', proxy: null, signal: null, tokenFor: () => 'unused' };
  const sessionAt = (origin: string) => platformAt(origin).as({ ...call, authToken: new Secret(anna.authToken) });
  const session = sessionAt(checked.url);
  const page = (cursor: string | null, count = 100) => session.activity({ count, cursor });
  for (const other of [ben, carl]) await annas.begin(other);
  await annas.say(ben, 'Before the feed');
  let { events: before, cursor } = await page(null);

  test('begins without events and reports those of both sides, oldest first, once', async () => {
    expect(before).toEqual([]);
    const sent = [await bens.say(anna, 'One'), await carls.say(anna, 'Two'), await annas.say(ben, 'Three')];
    const found = await page(cursor);
    expect(found.gap).toBe(false);
    expect(found.events).toMatchObject(
      [ben, carl, anna].map(({ userId, userName }, at) => ({
        id: expect.stringMatching(new RegExp(`^\\d+:\\d+ ${seqIdOf(sent[at] ?? never())}$`)),
        type: userId === anna.userId ? 'message.sent' : 'message.received',
        actor: { id: userId, userName },
        fromMe: userId === anna.userId,
      })),
    );
    ({ events: before, cursor } = await page(found.cursor));
    expect(before).toEqual([]);
  });

  test('reads no events while no conversation has changed', async () => {
    const stats = async () => (await sandbox.call('GET', '/control/stats')).body.requests['getChatConversationEvents'];
    const asked = await stats();
    ({ cursor } = await page(cursor));
    expect(await stats()).toBe(asked);
  });

  test('continues after a page, and puts all new events of a conversation on one', async () => {
    const sent: string[] = [];
    for (let at = 0; at < 7; at++) {
      sent.push(seqIdOf(await bens.say(anna, `Ben ${at}`)));
      if (at % 3 === 0) sent.push(seqIdOf(await carls.say(anna, `Carl ${at}`)));
    }
    const read: string[] = [];
    for (let full = true; full; ) {
      const found = await page(cursor, 3);
      read.push(...found.events.map((event) => ('message' in event ? event.message.seqId : '')));
      full = found.events.length >= 3;
      cursor = found.cursor;
    }
    expect(read.toSorted()).toEqual(sent.toSorted());
  });

  test('leaves out a conversation whose events cannot be read, and reports a gap', async () => {
    const unchecked = sessionAt(sandbox.url);
    await bens.say(anna, 'Lost');
    await sandbox.control('faults', { fault: { kind: 'nonsense' }, operation: 'getChatConversationEvents', times: 1 });
    const found = await unchecked.activity({ count: 100, cursor });
    expect(found).toMatchObject({ events: [], gap: true });
    const kept = seqIdOf(await bens.say(anna, 'Read'));
    const next = await page(found.cursor);
    expect(next.events.map((event) => 'message' in event && event.message.seqId)).toContain(kept);
    expect(next.gap).toBe(false);
    cursor = next.cursor;
  });

  test.each(['', 'c1', 'n1.0.', 'c1|1|2'])('refuses the cursor %j with 400', async (wrong) => {
    await expect(page(wrong)).rejects.toMatchObject({ reason: 'malformed_field', field: 'cursor' });
  });
});

test('a webhook receives the six types of message events on X', async () => {
  const {
    service: { demo },
  } = await useService();
  const checked = await startCheckedX(demo.sandboxUrl);
  const clock = new AdjustableRuntime();
  const env = { PLATFORM_KIND: 'x', PLATFORM_URL: checked.url, ALLOW_LOCALHOST_WEBHOOKS: '1' };
  const service = await startService(env, { demo, runtime: clock });
  atEnd(() => service.stop());
  const { key } = await service.makeAccount('10');
  const sandbox = new SandboxControl(demo.sandboxUrl);
  const writer = async () =>
    new Writer(await sandbox.mint(), new Client({ baseUrl: `${service.origin}/v1`, key, authToken: '' }));
  const [anna, ben] = [await writer(), await writer()];
  await anna.sends(ben, 'Before anybody listens');
  const receiver = await startReceiver({ secret });
  await register(anna.client, { url: receiver.url, encryption_code: anna.account.encryptionCode });
  // A leap of the clock may end an attempt that the receiver has got, so events are counted once.
  const bodies = () => receiver.deliveries.map(({ body }) => JSON.parse(body) as { id: string; type: string });
  const types = () => [...new Map(bodies().map(({ id, type }) => [id, type])).values()];
  const arrived = (count: number) =>
    until(() => {
      clock.leap(5_000);
      expect(types()).toHaveLength(count);
    });
  // The first poll finds the end of the feed.
  await until(async () => expect((await sandbox.requests('getChatConversations')) > 0).toBe(true));
  const { conversation_id, seq_id } = await ben.sends(anna, 'Is the light on?');
  const about = { conversation_id, seq_id };
  await anna.sends(conversation_id, 'It is');
  dataOf(await ben.post('/dm/edit', { ...about, text: 'Is the lamp on?' }));
  dataOf(await anna.post('/dm/react', { ...about, emoji: '💡' }));
  dataOf(await anna.post('/dm/unreact', { ...about, emoji: '💡' }));
  await arrived(5);
  dataOf(await ben.post('/dm/delete', about));
  await arrived(6);
  expect(types().toSorted()).toEqual(eventTypes.filter((type) => type.startsWith('message.')).toSorted());

  // A deletion by the other user for herself changes the conversation, but is no event. X bills what a poll reads, so it is read once.
  const last = await anna.sends(conversation_id, 'Good night');
  await arrived(7);
  dataOf(await ben.post('/dm/delete', { conversation_id, seq_id: last.seq_id, for_all: false }));
  const polls = () => sandbox.requests('getChatConversations');
  const pass = async (count: number) => {
    const end = (await polls()) + count;
    await until(async () => {
      clock.leap(60_000);
      expect(await polls()).toBeGreaterThanOrEqual(end);
    });
  };
  await pass(2);
  const read = await sandbox.requests('getChatConversationEvents');
  await pass(3);
  expect(await sandbox.requests('getChatConversationEvents')).toBe(read);
  expect(types()).toHaveLength(7);
  await checked.stop();
});

function never(): never {
  throw new Error('nothing was sent');
}
