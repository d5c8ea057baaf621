// The interface of an attack to the service: requests, raw connections, and hostile servers that the service connects to.
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import type { Demo } from '../../../src/api/demo/demo.ts';
import { answerCrc } from '../../../src/client/webhooks/index.ts';
import type { Settings } from '../processes.ts';
import type { OtherCalls } from './other.ts';
import type { Service } from './service.ts';

const keptText = 64 * 1024;
export const receiverSecret = 'a-secret-for-the-bench';

/** Prepares data, calls `begin()`, and then attacks for a limited time. */
export interface Attack {
  (target: Target): unknown;
  /** Needs a newly started service, because an earlier attack may have used up a limit. */
  fresh?: boolean;
  /** Returns the settings of a service with another platform. Gets the usual ones. */
  platform?: (sandboxed: Settings) => Settings | Promise<Settings>;
  /** Needs a network namespace with the attack's own name server. */
  namespace?: boolean;
}

export type Attacks = Record<string, Attack>;

/** Returns an attack for each row of a table. The names begin with `prefix`. */
export function attacksOf<Row>(prefix: string, rows: Record<string, Row>, attack: (row: Row) => Attack): Attacks {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [prefix + name, attack(row)]));
}

export const fresh = (attack: Attack): Attack => Object.assign(attack, { fresh: true });

/** Sends a REST call several times. */
export function calls(
  method: Dispatcher.HttpMethod,
  path: string,
  body?: string | object | ((index: number) => string | object),
  { count = 3, atOnce = 1, ...options }: Omit<Sent, 'body'> & { count?: number; atOnce?: number } = {},
): Attack {
  return (target) =>
    target.many(count, atOnce, (i) => target.rest(method, path, typeof body === 'function' ? body(i) : body, options));
}

/** Returns `times` numbered texts, joined by spaces. */
export const many = (times: number, text: (index: number) => string) =>
  Array.from({ length: times }, (_, i) => text(i)).join(' ');

export type Headers = Record<string, string>;

export interface Credentials {
  /** The name of a key of the service, or another key. */
  key?: string | null;
  /** The index of a demo account, for its `auth_token`. */
  actor?: number | null;
  headers?: Headers;
}

export interface Sent extends Credentials {
  body?: string | Buffer | undefined;
  isCounted?: boolean;
}

/** The parts of responses that attacks read. */
interface Json {
  error?: string | null;
  data?: {
    id?: string;
    tweet_id?: string;
    article_id?: string;
    error?: string | null;
    last_error?: string | null;
  } | null;
}

export interface Answer {
  /** The status, or the reason why there is none. */
  status: number | string;
  bytes: number;
  text: string;
  json: Json | null;
}

interface Listening {
  behave: (socket: Socket) => void;
  connections: number;
  /** The most connections at once. */
  most: number;
  breakAll: () => void;
  port: number;
  /** Address and port. */
  name: string;
}

interface FakeProxy extends Listening {
  isHonest: boolean;
  answered: number;
  headers: Headers;
}

type Respond = (request: IncomingMessage, response: ServerResponse, token: string) => unknown;

export interface Receiver {
  url: string;
  handshakes: number;
  deliveries: number;
  underWay: number;
  most: number;
  onCrc: Respond;
  answer: Respond;
}

export class Target {
  readonly #service: Service;
  readonly #agent = new Agent({
    connections: null,
    pipelining: 1,
    headersTimeout: 120_000,
    bodyTimeout: 120_000,
    keepAliveTimeout: 1_000,
  });
  readonly #closers: (() => unknown)[] = [];
  readonly #begin: () => Promise<void>;
  /** The number of responses by status. */
  readonly statuses = new Map<number | string, number>();
  /** Notes for the last column of the report. */
  readonly notes: string[] = [];
  /** Targets that the attack missed, apart from those that are measured. */
  readonly faults: string[] = [];
  /** True if the service has taken the bytes of the attack. Any response proves it, unless the bytes are those of a server. */
  #isTaken = false;
  #needsProof = false;
  /** A call of another account that must be neither refused nor slowed. */
  other: Pick<OtherCalls, 'method' | 'path' | 'body'> = { method: 'GET', path: '/v1/account/balance' };

  constructor(service: Service, begin: () => Promise<void>) {
    this.#service = service;
    this.#begin = begin;
  }

  get url(): string {
    return this.#service.url;
  }

  get address() {
    const { hostname, port } = new URL(this.url);
    return { host: hostname, port: Number(port) };
  }

  get demo(): Demo {
    if (!this.#service.demo) throw new Error('the platform of this service has no demo accounts');
    return this.#service.demo;
  }

  get keys(): Record<string, string> {
    return this.#service.keys;
  }

  get ended(): string | null {
    return this.#service.ended;
  }

  get otherCalls(): OtherCalls {
    const json = this.other.body !== undefined && { 'content-type': 'application/json' };
    const headers = { ...this.headers({ key: 'other', actor: json ? 0 : null }), ...json };
    return { ...this.other, url: this.url, headers };
  }

  /** Restarts the measurement after an attack has prepared its data. */
  async begin(): Promise<void> {
    this.statuses.clear();
    await this.#begin();
  }

  /** Registers a function to run after the measurement. */
  later(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Records whether the service took the bytes of the attack. */
  prove(isTaken: boolean): void {
    this.#needsProof = true;
    this.#isTaken ||= isTaken;
  }

  get isTaken(): boolean {
    const answered = [...this.statuses.keys()].some((status) => Number(status) > 0);
    return this.#isTaken || (!this.#needsProof && answered);
  }

  note(text: string): void {
    this.notes.push(text);
  }

  headers({ key = 'rich', actor = 0, headers = {} }: Credentials = {}): Headers {
    return {
      ...(key !== null && { authorization: `Bearer ${this.keys[key] ?? key}` }),
      ...(actor !== null && { 'x-auth-token': this.demo.accounts[actor]?.authToken ?? '' }),
      ...headers,
    };
  }

  /** Returns the head of a raw request. */
  head(method: string, path: string, headers: Headers = {}): string {
    const lines = Object.entries(this.headers({ headers })).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}\r\n`;
  }

  /** Sends one request and reads the response to its end. Only the first bytes of the body are kept. */
  async send(
    method: Dispatcher.HttpMethod,
    path: string,
    { body, isCounted = true, ...options }: Sent = {},
  ): Promise<Answer> {
    const count = (status: number | string, rest?: Partial<Answer>) => this.#count(status, rest, isCounted);
    if (this.#service.ended) return count('gone');
    try {
      const response = await request(`${this.url}${path}`, {
        method,
        body: body ?? null,
        dispatcher: this.#agent,
        headers: this.headers(options),
      });
      let bytes = 0;
      const kept: Buffer[] = [];
      for await (const chunk of response.body) {
        if (bytes < keptText) kept.push(chunk);
        bytes += chunk.length;
      }
      const text = Buffer.concat(kept).toString();
      return count(response.statusCode, { bytes, text, json: readJson(text) });
    } catch (error) {
      return count('failed', { text: String(error) });
    }
  }

  #count(status: number | string, rest: Partial<Answer> = {}, isCounted = true): Answer {
    if (isCounted) this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    return { status, bytes: 0, text: '', json: null, ...rest };
  }

  rest(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: string | Buffer | object,
    { headers, ...options }: Omit<Sent, 'body'> = {},
  ): Promise<Answer> {
    const json = typeof body === 'string' || Buffer.isBuffer(body) ? body : body && JSON.stringify(body);
    return this.send(method, `/v1${path}`, {
      ...options,
      body: json,
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    });
  }

  graphql(query: string, variables?: object, { headers, ...options }: Omit<Sent, 'body'> = {}): Promise<Answer> {
    return this.send('POST', '/graphql', {
      ...options,
      body: JSON.stringify({ query, variables }),
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
    });
  }

  /** Returns the data of a preparatory request. Throws unless its response is 2xx. */
  async setUp<Data = { id: string }>(response: Promise<Answer>): Promise<Data> {
    const done = await response;
    if (!/^2/.test(String(done.status))) throw new Error(`setup: ${done.status} ${done.text.slice(0, 300)}`);
    return done.json?.data as Data;
  }

  /** Calls `work` for 0 to `count - 1`, with a limited number of concurrent calls. */
  async many(count: number, concurrency: number, work: (index: number) => unknown): Promise<void> {
    let next = 0;
    const worker = async () => {
      while (next < count && !this.ended) await work(next++);
    };
    await Promise.all(Array.from({ length: Math.min(count, concurrency) }, worker));
  }

  /** Opens a connection, writes, and calls `onData` for received bytes. The connection is closed after the measurement. */
  connect(text?: string, onData: (chunk: Buffer) => void = () => {}): Socket {
    const socket = connect(this.address);
    socket.on('error', () => {});
    socket.on('data', onData);
    if (text === undefined) socket.once('connect', () => this.prove(true));
    else socket.write(text, (error) => this.prove(!error));
    this.later(() => socket.destroy());
    return socket;
  }

  /** Writes a request byte by byte and counts the status of the response. Stops after `timeoutMs` without a response. */
  async raw(bytes: string, timeoutMs = 5_000): Promise<Answer> {
    const socket = connect(this.address);
    const answered = new Promise<number | string>((resolve) => {
      socket.once('data', (chunk) => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1] ?? 0)));
      socket.once('error', () => resolve('failed'));
      socket.once('close', () => resolve('closed'));
    });
    socket.write(bytes);
    const status = await Promise.race([answered, sleep(timeoutMs, 'none', { ref: false })]);
    socket.destroy();
    return this.#count(status);
  }

  /** Starts a server on loopback that calls `behave` for each connection. `connections` counts them. */
  async listen(behave: (socket: Socket) => void): Promise<Listening> {
    this.#needsProof = true;
    const sockets = new Set<Socket>();
    const breakAll = () => {
      for (const socket of sockets) socket.destroy();
    };
    const state: Listening = { connections: 0, most: 0, behave, breakAll, port: 0, name: '' };
    const server = createServer((socket) => {
      state.connections++;
      sockets.add(socket);
      state.most = Math.max(state.most, sockets.size);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
      state.behave(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.later(() => {
      server.close();
      breakAll();
    });
    const { port } = server.address() as AddressInfo;
    return Object.assign(state, { port, name: `127.0.0.1:${port}` });
  }

  /**
   * Starts a proxy that opens tunnels and answers the requests inside itself with `respond`, or passes them on while `isHonest`. `answered`
   * counts the answers.
   */
  async fakeProxy(respond: (socket: Socket) => void): Promise<FakeProxy> {
    const proxy: FakeProxy = Object.assign(await this.listen(() => {}), { answered: 0, isHonest: false, headers: {} });
    proxy.headers = { 'x-proxy': `http://${proxy.name}` };
    proxy.behave = (socket) =>
      awaitHead(socket, (where) => {
        if (proxy.isHonest) return tunnel(socket, where);
        socket.write(opened);
        const answer = () => {
          proxy.answered++;
          this.prove(true);
          respond(socket);
          awaitHead(socket, answer);
        };
        awaitHead(socket, answer);
      });
    return proxy;
  }

  /** Starts a webhook receiver. It answers handshakes, or calls `onCrc` for them; `answer` answers deliveries. */
  async receiver({ onCrc = passHandshake, answer = succeed }: Partial<Pick<Receiver, 'onCrc' | 'answer'>> = {}) {
    const state: Receiver = { handshakes: 0, deliveries: 0, underWay: 0, most: 0, onCrc, answer, url: '' };
    const server = createHttpServer((request, response) => {
      state.underWay++;
      state.most = Math.max(state.most, state.underWay);
      response.once('close', () => state.underWay--);
      request.resume();
      const token = new URL(request.url ?? '', 'http://receiver').searchParams.get('crc_token');
      if (token === null) {
        state.deliveries++;
        return state.answer(request, response, '');
      }
      state.handshakes++;
      return state.onCrc(request, response, token);
    });
    server.listen(0, 'localhost');
    await once(server, 'listening');
    this.later(() => {
      server.close();
      server.closeAllConnections();
    });
    return Object.assign(state, { url: `http://localhost:${(server.address() as AddressInfo).port}/hook` });
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
    await this.#agent.destroy();
  }
}

const succeed: Respond = (_request, response) => response.end('{}');
const passHandshake: Respond = (_request, response, token) =>
  response.end(JSON.stringify(answerCrc(token, receiverSecret)));

export const opened = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** Writes the same bytes repeatedly, as fast as they are read. */
export function flood(socket: Socket, first: string, again: string): void {
  const text = again.repeat(Math.ceil(65_536 / again.length));
  const write = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', write);
  socket.write(first);
  write();
}

/** Calls `then` with the address of a CONNECT request and the head, as soon as the head of a request has arrived. */
export function awaitHead(socket: Socket, then: (where: string, head: string) => void): void {
  let head = '';
  const read = (chunk: Buffer) => {
    head += chunk.toString('latin1');
    if (!head.includes('\r\n\r\n')) return;
    socket.off('data', read);
    socket.resume();
    then(/^CONNECT (\S+)/.exec(head)?.[1] ?? '', head);
  };
  socket.on('data', read);
}

export function tunnel(socket: Socket, where: string): void {
  const [host = '', port] = where.split(':');
  const behind = connect(Number(port), host, () => {
    socket.write(opened);
    socket.pipe(behind).pipe(socket);
  });
  behind.on('error', () => socket.destroy());
  behind.on('close', () => socket.destroy());
  socket.on('close', () => behind.destroy());
}

/** Returns `null` if the body is not JSON or was too long to keep. */
function readJson(text: string): Json | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
