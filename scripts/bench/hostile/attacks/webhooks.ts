// Attacks with webhooks: handshakes, replays, and receivers that misbehave.
import { setTimeout as sleep } from 'node:timers/promises';
import { answerCrc } from '../../../../src/client/webhooks/index.ts';
import { type Attacks, type Receiver, receiverSecret, type Target } from '../target.ts';

async function register(target: Target, receiver: Receiver, count: number): Promise<string[]> {
  const ids: string[] = [];
  target.later(() => target.many(ids.length, 10, (i) => target.rest('DELETE', `/webhooks/${ids[i]}`)));
  await target.many(count, 5, async () => {
    const { id } = await target.setUp(target.rest('POST', '/webhooks', { url: receiver.url, secret: receiverSecret }));
    ids.push(id);
  });
  return ids;
}

const slowHandshake: Receiver['onCrc'] = (_request, response, token) =>
  setTimeout(() => response.end(JSON.stringify(answerCrc(token, receiverSecret))), 200);

function countFromHere(receiver: Receiver): void {
  Object.assign(receiver, { handshakes: 0, deliveries: 0, most: 0 });
}

export const attacks: Attacks = {
  'webhooks: 20 replays of 100 webhooks at once': async (target) => {
    const receiver = await target.receiver();
    await register(target, receiver, 100);
    receiver.onCrc = slowHandshake;
    countFromHere(receiver);
    await target.begin();
    await target.many(20, 20, () => target.rest('POST', '/webhooks/replay', {}));
    target.note(`${receiver.handshakes} GETs, ${receiver.most} at once`);
  },
  'webhooks: 50 PUTs of one webhook at once': async (target) => {
    const receiver = await target.receiver();
    const [id] = await register(target, receiver, 1);
    receiver.onCrc = slowHandshake;
    countFromHere(receiver);
    await target.begin();
    await target.many(50, 50, () => target.rest('PUT', `/webhooks/${id}`, {}));
    target.note(`${receiver.handshakes} GETs, ${receiver.most} at once`);
  },
  'webhooks: PUT, PATCH and replay of one at once': async (target) => {
    const receiver = await target.receiver();
    const [id] = await register(target, receiver, 1);
    receiver.onCrc = slowHandshake;
    countFromHere(receiver);
    await target.begin();
    await target.many(60, 60, (i) => {
      if (i % 3 === 0) return target.rest('PUT', `/webhooks/${id}`, {});
      if (i % 3 === 1) return target.rest('PATCH', `/webhooks/${id}`, { url: `${receiver.url}?n=${i}` });
      return target.rest('POST', '/webhooks/replay', { webhook_id: id });
    });
    target.note(`${receiver.handshakes} GETs, ${receiver.most} at once`);
  },
  'webhooks: 300 registrations at once': async (target) => {
    const receiver = await target.receiver({ onCrc: slowHandshake });
    const ids: string[] = [];
    target.later(() => target.many(ids.length, 10, (i) => target.rest('DELETE', `/webhooks/${ids[i]}`)));
    await target.many(300, 300, async () => {
      const created = await target.rest('POST', '/webhooks', { url: receiver.url, secret: receiverSecret });
      if (created.json?.data?.id) ids.push(created.json.data.id);
    });
    target.note(`${receiver.handshakes} GETs, ${receiver.most} at once`);
  },
  'webhooks: 40 resumed with 100 large events each': async (target) => {
    const receiver = await target.receiver({ answer: (_request, response) => response.writeHead(500).end() });
    const ids = await register(target, receiver, 40);
    const headers = { 'content-type': 'application/json' };
    const userName = target.demo.accounts[0]?.userName;
    const event = JSON.stringify({ type: 'mention', userName, count: 100, text: '語'.repeat(12_000) });
    await fetch(`${target.demo.sandboxUrl}/control/events`, { method: 'POST', headers, body: event });
    for (let i = 0; i < 600 && receiver.deliveries < 40 * 100; i++) await sleep(100);
    const pause = (paused: boolean) =>
      target.many(ids.length, 10, (i) => target.rest('PATCH', `/webhooks/${ids[i]}`, { paused }));
    await pause(true);
    await target.begin();
    await pause(false);
    await sleep(8_000);
    target.note(`${receiver.deliveries} deliveries`);
  },
  'webhooks: DELETE before a retry is due': async (target) => {
    const receiver = await target.receiver({
      answer: (_request, response) => {
        response.writeHead(503, { 'retry-after': '1' });
        response.end();
      },
    });
    const [id] = await register(target, receiver, 1);
    await target.begin();
    await target.rest('POST', '/tweet/favorite', { tweet_id: '1' }, { actor: 1 });
    const sandbox = target.demo.sandboxUrl;
    const headers = { 'content-type': 'application/json' };
    const userName = target.demo.accounts[0]?.userName;
    const body = JSON.stringify({ type: 'like', userName, count: 5 });
    await fetch(`${sandbox}/control/events`, { method: 'POST', headers, body });
    for (let i = 0; i < 100 && receiver.deliveries === 0; i++) await sleep(50);
    await sleep(700);
    await target.rest('DELETE', `/webhooks/${id}`);
    const sent = receiver.deliveries;
    await sleep(2_000);
    target.note(`${sent} deliveries before, ${receiver.deliveries - sent} after the DELETE`);
  },
};
