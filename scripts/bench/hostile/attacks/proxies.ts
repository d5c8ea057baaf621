// Attacks with a caller's proxy that accepts connections and then misbehaves.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attacks, attacksOf, awaitHead, opened, receiverSecret, type Target, tunnel } from '../target.ts';

type Trick = (socket: Socket) => void;

/** The actions of a hostile proxy after a request for a tunnel. */
const oneByte: Trick = (socket) => socket.write(`${opened}H`, () => setTimeout(() => socket.destroy(), 5));
const close: Trick = (socket) => socket.end(opened);
const tricks: Record<string, Trick> = {
  'one byte after 200': oneByte,
  'one byte after 200, close at once': (socket) => socket.end(`${opened}H`),
  'close after 200': close,
  'reset after 200': (socket) => socket.write(opened, () => socket.resetAndDestroy()),
  'close before the response': (socket) => socket.destroy(),
  'half of a response, then close': (socket) => {
    socket.write(opened);
    awaitHead(socket, () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{'));
  },
  'no response at all': () => {},
};

/** The service has taken the answer of a proxy that it has connected to, because the answer belongs to CONNECT. */
const doTrick = (target: Target, trick: Trick) => (socket: Socket) =>
  awaitHead(socket, () => {
    target.prove(true);
    trick(socket);
  });

/** Calls through a proxy, for at most 20 s. */
const callThrough = (count: number) => (trick: Trick) => async (target: Target) => {
  const proxy = await target.listen(doTrick(target, trick));
  const headers = { 'x-proxy': `http://${proxy.name}` };
  const call = () => target.rest('GET', '/user/info?userName=grace', undefined, { headers });
  await Promise.race([target.many(count, count, call), sleep(20_000)]);
  target.note(`${proxy.connections} connections`);
};

export const attacks: Attacks = {
  ...attacksOf('proxy: ', tricks, callThrough(1)),
  'proxy: 50 calls at once, one byte after 200': callThrough(50)(oneByte),
  ...attacksOf(
    'proxy: a poller for 15 s, ',
    { 'one byte after 200': oneByte, 'close after 200': close },
    (trick) => async (target) => {
      const receiver = await target.receiver();
      const proxy = await target.listen((socket) => awaitHead(socket, (where) => tunnel(socket, where)));
      const hook = { url: receiver.url, secret: receiverSecret, proxy: `http://${proxy.name}` };
      const { id } = await target.setUp(target.rest('POST', '/webhooks', hook));
      target.later(() => target.rest('DELETE', `/webhooks/${id}`));
      await sleep(1_500);
      proxy.behave = doTrick(target, trick);
      proxy.connections = 0;
      proxy.breakAll();
      await target.begin();
      await sleep(15_000);
      target.note(`${proxy.connections} connections`);
    },
  ),
};
