// Attacks with webhooks: handshakes, replays, and receivers that misbehave.
import { setTimeout as sleep } from 'node:timers/promises';
import { answerCrc } from '../../../../src/client/webhooks/index.ts';
import { SandboxControl } from '../../../../test/support/sandbox-control.ts';
import { type Attack, type Attacks, type Receiver, receiverSecret, type Target } from '../target.ts';

async function register(target: Target, receiver: Receiver, count: number): Promise<string[]> {
  const ids: string[] = [];
  target.later(() => target.many(ids.length, 10, (i) => target.rest('DELETE', `/webhooks/${ids[i]}`)));
  await target.many(count, 5, async (i) => {
    const hook = { url: `${receiver.url}?n=${i}`, secret: receiverSecret };
    const { id } = await target.setUp(target.rest('POST', '/webhooks', hook));
    ids.push(id);
  });
  return ids;
}

const slowHandshake: Receiver['onCrc'] = (_request, response, token) =>
  setTimeout(() => response.end(JSON.stringify(answerCrc(token, receiverSecret))), 200);

/** Registers webhooks. Runs `attack` while the receiver responds slowly to handshakes. `attack` adds the ids of new webhooks. */
function handshakes(
  count: number,
  attack: (target: Target, ids: string[], receiver: Receiver) => Promise<void>,
): Attack {
  return async (target) => {
    const receiver = await target.receiver();
    const ids = await register(target, receiver, count);
    Object.assign(receiver, { onCrc: slowHandshake, handshakes: 0, most: 0 });
    await target.begin();
    await attack(target, ids, receiver);
    target.note(`${receiver.handshakes} GETs, ${receiver.most} at once`);
  };
}

async function makeEvents(target: Target, events: { type: string; count: number; text?: string }): Promise<void> {
  const userName = target.demo.accounts[0]?.userName ?? '';
  await new SandboxControl(target.demo.sandboxUrl).makeEvents({ ...events, userName });
}

export const attacks: Attacks = {
  'webhooks: 20 replays of 100 webhooks at once': handshakes(100, (target) =>
    target.many(20, 20, () => target.rest('POST', '/webhooks/replay', {})),
  ),
  'webhooks: 50 PUTs of one webhook at once': handshakes(1, (target, [id]) =>
    target.many(50, 50, () => target.rest('PUT', `/webhooks/${id}`, {})),
  ),
  'webhooks: PUT, PATCH and replay of one at once': handshakes(1, (target, [id], { url }) =>
    target.many(60, 60, (i) => {
      if (i % 3 === 0) return target.rest('PUT', `/webhooks/${id}`, {});
      if (i % 3 === 1) return target.rest('PATCH', `/webhooks/${id}`, { url: `${url}?n=${i}` });
      return target.rest('POST', '/webhooks/replay', { webhook_id: id });
    }),
  ),
  'webhooks: 300 registrations at once': handshakes(0, (target, ids, { url }) =>
    target.many(300, 300, async (i) => {
      const created = await target.rest('POST', '/webhooks', { url: `${url}?n=${i}`, secret: receiverSecret });
      if (created.json?.data?.id) ids.push(created.json.data.id);
    }),
  ),
  'webhooks: 40 resumed with 100 events each': async (target) => {
    const receiver = await target.receiver({ answer: (_request, response) => response.writeHead(500).end() });
    const ids = await register(target, receiver, 40);
    await makeEvents(target, { type: 'mention', count: 100, text: '語'.repeat(130) });
    for (let i = 0; i < 600 && receiver.deliveries < 40 * 100; i++) await sleep(100);
    const pause = (paused: boolean) =>
      target.many(ids.length, 10, (i) => target.rest('PATCH', `/webhooks/${ids[i]}`, { paused }));
    await pause(true);
    await target.begin();
    await pause(false);
    await sleep(8_000);
    target.note(`${receiver.deliveries} deliveries`);
  },
  'webhooks: a page of events for 100 webhooks': async (target) => {
    const receiver = await target.receiver();
    await register(target, receiver, 100);
    await target.begin();
    await makeEvents(target, { type: 'mention', count: 100 });
    for (let i = 0; i < 300 && receiver.deliveries < 100 * 100; i++) await sleep(100);
    target.note(`${receiver.deliveries} deliveries`);
  },
  'webhooks: DELETE before a retry is due': async (target) => {
    const receiver = await target.receiver({
      answer: (_request, response) => response.writeHead(503, { 'retry-after': '1' }).end(),
    });
    const [id] = await register(target, receiver, 1);
    await target.begin();
    await target.rest('POST', '/tweet/favorite', { tweet_id: '1' }, { actor: 1 });
    await makeEvents(target, { type: 'like', count: 5 });
    for (let i = 0; i < 100 && receiver.deliveries === 0; i++) await sleep(50);
    await sleep(700);
    await target.rest('DELETE', `/webhooks/${id}`);
    const sent = receiver.deliveries;
    await sleep(2_000);
    target.note(`${sent} deliveries before, ${receiver.deliveries - sent} after the DELETE`);
  },
};
