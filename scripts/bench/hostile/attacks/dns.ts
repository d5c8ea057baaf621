// Names that a caller chose, and whose name server never answers. Runs in a network namespace of its own.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Attacks, Target } from '../target.ts';

/** The smallest PNG. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** Answers names that end with `fast.test` with 127.0.0.1, and counts all others. */
const nameServer: { asked: number; socket: Socket | null } = { asked: 0, socket: null };
async function startNameServer(): Promise<void> {
  if (nameServer.socket) return;
  const socket = createSocket('udp4');
  socket.unref();
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12);
    if (!query.subarray(12, end).toString('latin1').endsWith('\x04fast\x04test')) {
      nameServer.asked++;
      return;
    }
    const isIpv4 = query.readUInt16BE(end + 1) === 1;
    const head = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isIpv4 ? 1 : 0, 0, 0, 0, 0]);
    const record = isIpv4 ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1] : [];
    socket.send(Buffer.from([...head, ...query.subarray(12, end + 5), ...record]), port, address);
  });
  socket.bind(53, '127.0.0.1');
  await once(socket, 'listening');
  nameServer.socket = socket;
}

let number = 0;
const attack = (call: (target: Target, name: string) => unknown): Attack =>
  Object.assign(
    async (target: Target) => {
      await startNameServer();
      const web = await target.listen((socket) =>
        socket.once('data', () => {
          socket.write(
            `HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nConnection: close\r\nContent-Length: ${png.length}\r\n\r\n`,
          );
          socket.end(png);
        }),
      );
      const body = JSON.stringify({ media_url: `http://n#.fast.test:${web.port}/a.png` });
      target.other = { method: 'POST', path: '/v1/media/upload', body };
      const before = nameServer.asked;
      await target.begin();
      const calls = target.many(40, 40, () => call(target, `x${number++}.slow.test`));
      await Promise.race([calls, sleep(15_000)]);
      target.prove(nameServer.asked > before);
      target.note(`${nameServer.asked - before} look-ups`);
    },
    { namespace: true },
  );

export const attacks: Attacks = {
  'dns: media of names that are never answered': attack((target, name) =>
    target.rest('POST', '/media/upload', { media_url: `http://${name}/a.png` }),
  ),
  'dns: webhooks of names that are never answered': attack((target, name) =>
    target.rest('POST', '/webhooks', { url: `https://${name}/` }),
  ),
  'dns: proxies of names that are never answered': attack((target, name) =>
    target.rest('GET', '/user/info?userName=grace', undefined, { headers: { 'x-proxy': `http://${name}:1` } }),
  ),
};
