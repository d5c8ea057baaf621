import { connect, type Socket } from 'node:net';

/** An HTTP response as received over the socket. */
export interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

/** Opens a connection to a loopback origin, for bytes that no client library would send. */
export function openSocket(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      // The service may break the connection, which is not a failure of the test.
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}

/**
 * Sends bytes unchanged and collects the responses until the service closes the connection, `answers` complete responses arrived, or
 * `quietMs` have passed.
 */
export async function exchange(
  origin: string,
  parts: string | Buffer | readonly (string | Buffer)[],
  { answers = 1, quietMs = 60_000 }: { answers?: number; quietMs?: number } = {},
): Promise<{ text: string; answers: RawAnswer[]; closed: boolean }> {
  const socket = await openSocket(origin);
  const chunks: Buffer[] = [];
  const outcome = await new Promise<boolean>((resolve) => {
    const quiet = setTimeout(() => resolve(false), quietMs);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (readAnswers(Buffer.concat(chunks)).length >= answers) {
        // Waits a little longer for unexpected additional bytes.
        setTimeout(() => resolve(false), 15);
      }
    });
    socket.once('close', () => {
      clearTimeout(quiet);
      resolve(true);
    });
    for (const part of typeof parts === 'string' || Buffer.isBuffer(parts) ? [parts] : parts) socket.write(part);
  });
  socket.destroy();
  const bytes = Buffer.concat(chunks);
  return { text: bytes.toString('latin1'), answers: readAnswers(bytes), closed: outcome };
}

/** Sends a GET request with this Host header, which `fetch` would replace. */
export async function getFromHost(origin: string, path: string, host: string, accept = '*/*') {
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: ${accept}\r\n\r\n`;
  return (await exchange(origin, request)).answers[0];
}

/** Returns the complete responses in these bytes, without interim responses (1xx). */
function readAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return answers;
    const [statusLine = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]);
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const length = status < 200 ? 0 : Number(headers.get('content-length') ?? 0);
    if (rest.length < end + 4 + length) return answers;
    if (status >= 200) answers.push({ status, headers, body: rest.toString('utf8', end + 4, end + 4 + length) });
    rest = rest.subarray(end + 4 + length);
  }
}
