import { createServer, type IncomingMessage } from 'node:http';
import { x25519 } from '@noble/curves/ed25519.js';
import { decode, encode } from 'cborg';
import { originOf } from '../../support/listen.ts';
import { acceptHandshake, type Handshake, type NoiseSession } from './noise.ts';

export type Phase = 'Register1' | 'Register2' | 'Recover1' | 'Recover2' | 'Recover3';

/** A response of a realm, by phase: its outcome, such as `{ Ok: … }` or `NoGuesses`. */
export type Reply = Record<string, unknown>;

/** `ask` sends the request to the realm. Null breaks the connection. */
type Hook = (phase: Phase, ask: () => Promise<Reply>) => Promise<Reply | null>;

/** Breaks the connection of one phase, before or after the realm has handled the request. */
export const lost =
  (phase: Phase, isHandled: boolean): Hook =>
  async (at, ask) => {
    if (at !== phase) return ask();
    if (isHandled) await ask();
    return null;
  };

/** A request of an encrypting realm. Its content is a request of a software realm. */
interface EncryptedRequest {
  readonly auth_token: string;
  readonly session_id: number;
  readonly encrypted: {
    readonly Handshake?: { handshake: Handshake };
    readonly Transport?: { ciphertext: Uint8Array };
  };
}

/** A server in front of a sandbox, which counts requests to the key realms and can change, lose or encrypt them. */
export class RealmFront {
  url = '';
  /** The realms that encrypt, as two of X's three do. Set before `juicebox_config` is read. */
  encrypting: readonly number[] = [];
  readonly #target: string;
  readonly #secret = x25519.utils.randomSecretKey();
  readonly #sessions = new Map<string, NoiseSession>();
  readonly #hooks = new Map<number, Hook>();
  #seen: [place: number, phase: Phase][] = [];

  private constructor(target: string) {
    this.#target = target;
  }

  static async open(target: string): Promise<RealmFront> {
    const front = new RealmFront(target);
    const server = createServer((request, response) => {
      void (async () => {
        const body = await bytesOf(request);
        const { method = 'GET', url = '' } = request;
        const kept = Object.entries(request.headers).filter(([name]) => !hopByHop.has(name));
        const headers = Object.fromEntries(kept) as Record<string, string>;
        const place = Number(/^\/sandbox\/realms\/(\d)\/req$/.exec(url)?.[1]);
        const isEncrypting = front.encrypting.includes(place);
        if (isEncrypting || front.#hooks.has(place)) {
          const reply = await (isEncrypting ? front.#decrypted : front.#realm)(place, headers, body);
          if (reply === null) request.socket.destroy();
          else response.end(reply);
          return;
        }
        if (place > 0) front.#see(place, body);
        const { status, type, bytes } = await front.#forward(method, url, headers, body);
        response.writeHead(status, { 'content-type': type });
        response.end(Buffer.from(front.#ownAddresses(bytes.toString('latin1')), 'latin1'));
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

  async #forward(method: string, url: string, headers: Record<string, string>, body: Uint8Array) {
    const init = { method, headers, body: body.length > 0 ? Uint8Array.from(body) : null };
    const answer = await fetch(this.#target + url, { ...init, redirect: 'manual' });
    const type = answer.headers.get('content-type') ?? 'text/plain';
    return { status: answer.status, type, bytes: Buffer.from(await answer.arrayBuffer()) };
  }

  /** Notes a request to a realm, and returns its phase. */
  #see(place: number, body: Uint8Array): Phase {
    const message = decode(body);
    const phase = (typeof message === 'string' ? message : Object.keys(message)[0]) as Phase;
    this.#seen.push([place, phase]);
    return phase;
  }

  /** Sends a request to a realm, by its hook. */
  readonly #realm = async (place: number, headers: Record<string, string>, body: Uint8Array) => {
    const phase = this.#see(place, body);
    const ask = async () => decode((await this.#forward('POST', `/sandbox/realms/${place}/req`, headers, body)).bytes);
    const reply = await (this.#hooks.get(place)?.(phase, ask) ?? ask());
    return reply && encode(reply);
  };

  /** Sends the content of an encrypted request to its realm. A handshake without content is not sent. */
  readonly #decrypted = async (place: number, headers: Record<string, string>, body: Uint8Array) => {
    const { auth_token, session_id, encrypted } = decode(body) as EncryptedRequest;
    const name = `${place} ${session_id}`;
    const ask = async (content: Uint8Array) => {
      if (content.length === 0) return content;
      const reply = await this.#realm(place, { ...headers, authorization: `Bearer ${auth_token}` }, content);
      return reply && encode({ unpadded_length: reply.length, padded_bytes: Buffer.alloc(paddedBytes, reply) });
    };
    if (encrypted.Handshake) {
      const { payload, respond } = acceptHandshake(this.#secret, encrypted.Handshake.handshake);
      const answer = await ask(payload);
      if (answer === null) return null;
      const { handshake, session } = respond(answer);
      this.#sessions.set(name, session);
      return encode({ Ok: { Handshake: { handshake, session_lifetime: { secs: 60, nanos: 0 } } } });
    }
    const session = this.#sessions.get(name);
    if (session === undefined || !encrypted.Transport) return encode('MissingSession');
    const answer = await ask(session.inbound('decrypt', encrypted.Transport.ciphertext));
    return answer && encode({ Ok: { Transport: { ciphertext: session.outbound('encrypt', answer) } } });
  };

  /** Puts the address of this server and the keys of encrypting realms into `juicebox_config`. */
  #ownAddresses(text: string): string {
    const key = Buffer.from(x25519.getPublicKey(this.#secret)).toString('hex');
    return text
      .replaceAll(this.#target, this.url)
      .replaceAll(/\/realms\/(\d)\/\\"/g, (address, place) =>
        this.encrypting.includes(Number(place)) ? `${address},\\"public_key\\":\\"${key}\\"` : address,
      );
  }
}

/** The length of each response of an encrypting realm. */
const paddedBytes = 436;
const hopByHop = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
