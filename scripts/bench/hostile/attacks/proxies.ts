// Attacks with a caller's proxy that accepts connections and then misbehaves.
import { setTimeout as sleep } from 'node:timers/promises';
import { awaitHead, opened, receiverSecret, tunnel } from '../target.ts';

/** The actions of a hostile proxy after a request for a tunnel. */
const tricks = {
  'one byte after 200': (socket) => socket.write(`${opened}H`, () => setTimeout(() => socket.destroy(), 5)),
  'one byte after 200, close at once': (socket) => socket.end(`${opened}H`),
  'close after 200': (socket) => socket.end(opened),
  'reset after 200': (socket) => socket.write(opened, () => socket.resetAndDestroy()),
  'close before the response': (socket) => socket.destroy(),
  'half of a response, then close': (socket) => {
    socket.write(opened);
    awaitHead(socket, () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{'));
  },
  'no response at all': () => {},
};

/** The service has taken the answer of a proxy that it has connected to, because the answer belongs to CONNECT. */
const doTrick = (target, name) => (socket) =>
  awaitHead(socket, () => {
    target.prove(true);
    tricks[name](socket);
  });

const oneCall = (name) => async (target) => {
  const proxy = await target.listen(doTrick(target, name));
  await Promise.race([
    target.rest('GET', '/user/info?userName=grace', undefined, { headers: { 'x-proxy': `http://${proxy.name}` } }),
    sleep(20_000),
  ]);
  target.note(`${proxy.connections} connections`);
};

export const attacks = {
  ...Object.fromEntries(Object.keys(tricks).map((name) => [`proxy: ${name}`, oneCall(name)])),
  'proxy: 50 calls at once, one byte after 200': async (target) => {
    const proxy = await target.listen(doTrick(target, 'one byte after 200'));
    await target.many(50, 50, () =>
      target.rest('GET', '/user/info?userName=grace', undefined, { headers: { 'x-proxy': `http://${proxy.name}` } }),
    );
    target.note(`${proxy.connections} connections`);
  },
  ...Object.fromEntries(
    ['one byte after 200', 'close after 200'].map((name) => [
      `proxy: a poller for 15 s, ${name}`,
      async (target) => {
        const receiver = await target.receiver();
        const proxy = await target.listen((socket) => awaitHead(socket, (where) => tunnel(socket, where)));
        const { id } = await target.setUp(
          target.rest('POST', '/webhooks', {
            url: receiver.url,
            secret: receiverSecret,
            proxy: `http://${proxy.name}`,
          }),
        );
        await sleep(1_500);
        proxy.behave = doTrick(target, name);
        proxy.connections = 0;
        proxy.breakAll();
        await target.begin();
        await sleep(15_000);
        target.note(`${proxy.connections} connections`);
        target.later(() => target.rest('DELETE', `/webhooks/${id}`));
      },
    ]),
  ),
};
