// Attacks with a caller's proxy that accepts connections and then misbehaves.

import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { receiverSecret } from '../target.js';

const opened = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** The actions of a hostile proxy after a request for a tunnel. */
const tricks = {
  'one byte after 200': (socket) => socket.write(`${opened}H`, () => setTimeout(() => socket.destroy(), 5)),
  'one byte after 200, close at once': (socket) => socket.end(`${opened}H`),
  'close after 200': (socket) => socket.end(opened),
  'reset after 200': (socket) => socket.write(opened, () => socket.resetAndDestroy()),
  'close before the response': (socket) => socket.destroy(),
  'half of a response, then close': (socket) =>
    socket.write(`${opened}HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{`, () =>
      setTimeout(() => socket.destroy(), 5),
    ),
  'endless 100 Continue': (socket) => flood(socket, opened, 'HTTP/1.1 100 Continue\r\n\r\n'),
  'endless 103 Early Hints': (socket) => flood(socket, opened, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
  'endless interim responses to CONNECT': (socket) =>
    flood(socket, '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'),
  'endless header': (socket) => flood(socket, `${opened}HTTP/1.1 200 OK\r\nA: `, 'a'.repeat(4_096)),
  'endless header of CONNECT': (socket) => flood(socket, 'HTTP/1.1 200 OK\r\nA: ', 'a'.repeat(4_096)),
  'endless body': (socket) =>
    flood(socket, `${opened}HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n`, 'a'.repeat(65_536)),
  'endless chunks of one byte': (socket) =>
    flood(socket, `${opened}HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'.repeat(1_000)),
  '30 MiB of nested JSON': (socket) =>
    socket.end(`${opened}HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n${'['.repeat(31_000_000)}`),
  '7 MiB of nested JSON': (socket) =>
    socket.end(`${opened}HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n${'['.repeat(7_000_000)}`),
  '7 MiB of numbers in JSON': (socket) =>
    socket.end(
      `${opened}HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"tweets":[${'{},'.repeat(2_300_000)}{}],"cursor":null}`,
    ),
  'no response at all': () => {},
};

/** Writes the same bytes repeatedly, as fast as they are read. */
function flood(socket, first, again) {
  const write = () => {
    while (!socket.destroyed && socket.write(again));
  };
  socket.on('drain', write);
  socket.write(first);
  write();
}

function awaitHead(socket, then) {
  let head = '';
  const read = (chunk) => {
    head += chunk.toString('latin1');
    if (!head.includes('\r\n\r\n')) return;
    socket.off('data', read);
    socket.resume();
    then(/^CONNECT (\S+)/.exec(head)?.[1] ?? '');
  };
  socket.on('data', read);
}

function tunnel(socket, where) {
  const [host, port] = where.split(':');
  const behind = connect(Number(port), host, () => {
    socket.write(opened);
    socket.pipe(behind).pipe(socket);
  });
  behind.on('error', () => socket.destroy());
  behind.on('close', () => socket.destroy());
  socket.on('close', () => behind.destroy());
}

const oneCall = (trick) => async (target) => {
  const proxy = await target.listen((socket) => awaitHead(socket, () => trick(socket)));
  await Promise.race([
    target.rest('GET', '/user/info?userName=grace', undefined, { headers: { 'x-proxy': `http://${proxy.name}` } }),
    sleep(20_000),
  ]);
  target.note(`${proxy.connections} connections`);
};

export const attacks = {
  ...Object.fromEntries(Object.entries(tricks).map(([name, trick]) => [`proxy: ${name}`, oneCall(trick)])),
  'proxy: 50 calls at once, one byte after 200': async (target) => {
    const proxy = await target.listen((socket) => awaitHead(socket, () => tricks['one byte after 200'](socket)));
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
        proxy.behave = (socket) => awaitHead(socket, () => tricks[name](socket));
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
