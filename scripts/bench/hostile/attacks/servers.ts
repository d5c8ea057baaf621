// Servers that callers choose, and whose responses have no end outside or inside their bodies.
import type { Socket } from 'node:net';
import { answerCrc } from '../../../../src/client/webhooks/index.ts';
import {
  type Attack,
  type Attacks,
  attacksOf,
  awaitHead,
  flood,
  fresh,
  receiverSecret,
  type Target,
} from '../target.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Content-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n`;
type Respond = (socket: Socket) => void;

const floods: Record<string, [first: string, again: string]> = {
  headers: [ok, 'a:\r\n'],
  'different headers': [ok, Array.from({ length: 8_000 }, (_, i) => `k${i.toString(36)}:\r\n`).join('')],
  cookies: [ok, 'Set-Cookie: a=b\r\n'],
  'one header': [`${ok}A: `, 'a'],
  'a reason phrase': ['HTTP/1.1 200 ', 'a'],
  'headers of 103': ['HTTP/1.1 103 Early Hints\r\n', 'a:\r\n'],
  'many 103': ['', `HTTP/1.1 103 Early Hints\r\n${'a:\r\n'.repeat(2_000)}\r\n`],
  'many 100': ['', 'HTTP/1.1 100 Continue\r\n\r\n'],
  'folded headers': [`${ok}a: b\r\n`, ' c\r\n'],
  trailers: [`${chunked}0\r\n`, 'a:\r\n'],
  'a chunk extension': [`${chunked}1;`, 'a'],
  'chunks of one byte': [chunked, '1\r\na\r\n'],
  'a body': [`${ok}Content-Type: application/json\r\n\r\n`, ' '],
};

const behave = (target: Target, first: string, again: string) => (socket: Socket) => {
  target.prove(true);
  flood(socket, first, again);
};
const later = (target: Target, id: string | undefined) =>
  id && target.later(() => target.rest('DELETE', `/webhooks/${id}`));

/** What the service asks of the server. Each returns the text of an error. */
const kinds: Record<string, (target: Target, answer: Respond) => Promise<string | null | undefined>> = {
  media: async (target, answer) => {
    const server = await target.listen((socket) => awaitHead(socket, () => answer(socket)));
    const upload = (i: number) => target.rest('POST', '/media/upload', { media_url: `http://${server.name}/${i}` });
    return (await Promise.all(Array.from({ length: 20 }, (_, i) => upload(i))))[0]?.json?.error;
  },
  handshakes: async (target, answer) => {
    const server = await target.listen((socket) => awaitHead(socket, () => answer(socket)));
    const create = async (i: number) => {
      const { json } = await target.rest('POST', '/webhooks', { url: `http://localhost:${server.port}/${i}` });
      later(target, json?.data?.id);
      return json?.data?.last_error ?? json?.error;
    };
    return (await Promise.all(Array.from({ length: 5 }, (_, i) => create(i))))[0];
  },
  deliveries: async (target, answer) => {
    const server = await target.listen((socket) =>
      awaitHead(socket, (_, head) => {
        const token = /crc_token=([^ &]+)/.exec(head)?.[1];
        if (!token) return answer(socket);
        const body = JSON.stringify(answerCrc(decodeURIComponent(token), receiverSecret));
        socket.end(`${ok}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
      }),
    );
    const body = { url: `http://localhost:${server.port}/`, secret: receiverSecret };
    const { id } = await target.setUp(target.rest('POST', '/webhooks', body));
    later(target, id);
    await target.begin();
    const { json } = await target.rest('POST', `/webhooks/${id}/test`);
    return json?.data?.error ?? json?.error;
  },
  CONNECT: async (target, answer) => {
    const server = await target.listen((socket) => awaitHead(socket, () => answer(socket)));
    const headers = { 'x-proxy': `http://${server.name}` };
    return (await target.rest('GET', '/user/info?userName=grace', undefined, { headers })).json?.error;
  },
  'a proxy': async (target, answer) => {
    const { headers } = await target.fakeProxy(answer);
    const call = () => target.rest('GET', '/user/info?userName=grace', undefined, { headers });
    return (await Promise.all(Array.from({ length: 10 }, call)))[0]?.json?.error;
  },
};

const attacked = Object.fromEntries(
  Object.entries(floods).flatMap(([flooded, [first, again]]) =>
    Object.entries(kinds).map(([kind, run]) => [`${flooded} without end, ${kind}`, { kind, run, first, again }]),
  ),
);

export const attacks: Attacks = attacksOf('server: ', attacked, ({ kind, run, first, again }) => {
  const attack: Attack = async (target) =>
    target.note(String(await run(target, behave(target, first, again))).slice(-70));
  // The number of test events per account is limited.
  return kind === 'deliveries' ? fresh(attack) : attack;
});
