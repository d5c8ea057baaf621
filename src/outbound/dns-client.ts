import { createSocket } from 'node:dgram';
import { connect, isIP } from 'node:net';
import type { Runtime } from '../shared/runtime/runtime.ts';
import { type DnsAnswer, encodeQuery, readAnswer } from './dns-message.ts';

/** A lost packet is sent again after this time, to the next server if there are several. */
const retryMs = 1_500;
const triesOfServer = 3;
/** The number of bytes that are read of a response over TCP. It may have 64 KiB. */
const maxTcpBytes = 16 * 1024;
const dnsPort = 53;

/** Returns the host and port of a name server. A port may follow an IPv4 address, as for c-ares. `null` if it is malformed. */
export function readServer(text: string): { host: string; port: number } | null {
  const [, host = text, port = dnsPort] = /^([\d.]+):(\d+)$/.exec(text) ?? [];
  return isIP(host) === 0 ? null : { host, port: Number(port) };
}

/**
 * Asks name servers in turn for the addresses of an absolute name. Returns none if the name or its addresses do not exist. Rejects if no server
 * gives a usable response, or with the reason of the abort. All sockets are closed then.
 */
export async function askNameServers(
  name: string,
  type: number,
  { servers, runtime, signal }: { servers: readonly string[]; runtime: Runtime; signal: AbortSignal },
): Promise<Pick<DnsAnswer, 'addresses' | 'ttl'>> {
  const query = encodeQuery(runtime.randomBytes(2), name, type);
  if (!query) return { addresses: [], ttl: 0 };
  for (let tries = 0; tries < triesOfServer * servers.length; tries++) {
    const answer = await askOnce(query, servers[tries % servers.length] ?? '', runtime, signal);
    signal.throwIfAborted();
    // Other codes than 0 and 3 (NXDOMAIN) say nothing about the name.
    if (answer?.code === 0 || answer?.code === 3) return answer;
  }
  throw new Error('no name server answers');
}

/** Returns `null` after an error, after `retryMs` and after an abort. */
async function askOnce(query: Buffer, text: string, runtime: Runtime, signal: AbortSignal): Promise<DnsAnswer | null> {
  const server = readServer(text);
  if (!server) return null;
  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener('abort', end, { once: true });
  const timer = runtime.after(retryMs, end);
  try {
    const answer = await askOverUdp(query, server, ending.signal);
    const isUsable = !answer?.isTruncated || answer.addresses.length > 0;
    return isUsable ? answer : await askOverTcp(query, server, ending.signal);
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', end);
  }
}

type Server = NonNullable<ReturnType<typeof readServer>>;

function askOverUdp(query: Buffer, { host, port }: Server, signal: AbortSignal): Promise<DnsAnswer | null> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
    let isOver = false;
    const end = (answer: DnsAnswer | null) => {
      if (isOver) return;
      isOver = true;
      socket.close(() => resolve(answer));
    };
    socket.on('error', () => end(null));
    socket.on('message', (bytes) => {
      const answer = readAnswer(bytes, query);
      if (answer) end(answer);
    });
    signal.addEventListener('abort', () => end(null), { once: true });
    // Only packets of the server arrive at a connected socket.
    socket.connect(port, host, (error?: unknown) => (error ? end(null) : socket.send(query)));
  });
}

function askOverTcp(query: Buffer, { host, port }: Server, signal: AbortSignal): Promise<DnsAnswer | null> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const socket = connect({ host, port, signal });
    socket.once('close', () => resolve(readAnswer(received.subarray(2), query)));
    socket.on('error', () => {});
    // The length comes before each message (RFC 1035, section 4.2.2).
    socket.write(Buffer.concat([Buffer.of(query.length >> 8, query.length & 255), query]));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const { length } = received;
      if (length >= maxTcpBytes || (length >= 2 && length >= 2 + received.readUInt16BE(0))) socket.destroy();
    });
  });
}
