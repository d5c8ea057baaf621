import { createServer, type IncomingMessage } from 'node:http';
import { decode, encode } from 'cborg';
import { originOf } from '../../support/listen.ts';

export type Phase = 'Register1' | 'Register2' | 'Recover1' | 'Recover2' | 'Recover3';

/** A response of a realm, by phase: its outcome, such as `{ Ok: … }` or `NoGuesses`. */
export type Reply = Record<string, unknown>;

/** `ask` sends the request to the realm. Null breaks the connection. */
type Hook = (phase: Phase, ask: () => Promise<Reply>) => Promise<Reply | null>;

/** A server in front of a sandbox, which counts requests to the key realms and can change or lose them. */
export class RealmFront {
  url = '';
  readonly #hooks = new Map<number, Hook>();
  #seen: [place: number, phase: Phase][] = [];

  static async open(target: string): Promise<RealmFront> {
    const front = new RealmFront();
    const server = createServer((request, response) => {
      void (async () => {
        const body = await bytesOf(request);
        const kept = Object.entries(request.headers).filter(([name]) => !hopByHop.has(name));
        const headers = Object.fromEntries(kept) as Record<string, string>;
        const place = Number(/^\/sandbox\/realms\/(\d)\/req$/.exec(request.url ?? '')?.[1]);
        const send = async () => {
          const { method = 'GET', url } = request;
          const init = { method, headers, body: body.length > 0 ? Uint8Array.from(body) : null };
          const answer = await fetch(target + url, { ...init, redirect: 'manual' });
          return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
        };
        if (place > 0) {
          const message = decode(body);
          const phase = (typeof message === 'string' ? message : Object.keys(message)[0]) as Phase;
          front.#seen.push([place, phase]);
          const hook = front.#hooks.get(place);
          if (hook) {
            const reply = await hook(phase, async () => decode((await send()).bytes));
            if (reply === null) request.socket.destroy();
            else response.end(encode(reply));
            return;
          }
        }
        const { answer, bytes } = await send();
        // The addresses of the realms in `juicebox_config` are those of the sandbox.
        const own = bytes.toString('latin1').replaceAll(target, front.url);
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
        response.end(Buffer.from(own, 'latin1'));
      })().catch(() => request.socket.resetAndDestroy());
    });
    front.url = await originOf(server);
    return front;
  }

  at(place: number, hook: Hook): void {
    this.#hooks.set(place, hook);
  }

  clear(): void {
    this.#hooks.clear();
  }

  /** Returns the number of requests of a phase that each realm received while `run` ran. */
  async counts<T>(phase: Phase, run: () => Promise<T>): Promise<[T, number[]]> {
    this.#seen = [];
    const result = await run();
    return [result, [1, 2, 3].map((at) => this.#seen.filter(([place, each]) => place === at && each === phase).length)];
  }
}

const hopByHop = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
