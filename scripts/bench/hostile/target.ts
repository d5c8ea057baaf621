// The interface of an attack to the service: requests, raw connections, and hostile servers that the service connects to.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { answerCrc } from '../../../src/client/webhooks/index.ts';

const keptText = 64 * 1024;
export const receiverSecret = 'a-secret-for-the-bench';

export class Target {
  #service;
  #agent = new Agent({
    connections: null,
    pipelining: 1,
    headersTimeout: 120_000,
    bodyTimeout: 120_000,
    keepAliveTimeout: 1_000,
  });
  #closers = [];
  #begin;
  /** The number of responses by status. */
  statuses = new Map();
  /** Notes for the last column of the report. */
  notes = [];
  /** Targets that the attack missed, apart from those that are measured. */
  faults = [];
  /** True if the service has taken the bytes of the attack. Any response proves it, unless the bytes are those of a server. */
  #isTaken = false;
  #needsProof = false;
  /** A call of another account that must be neither refused nor slowed. */
  other = () => this.rest('GET', '/account/balance', undefined, { key: 'other', actor: null, isCounted: false });

  constructor(service, begin) {
    this.#service = service;
    this.#begin = begin;
  }

  get url() {
    return this.#service.url;
  }

  get address() {
    const { hostname, port } = new URL(this.url);
    return { host: hostname, port: Number(port) };
  }

  get demo() {
    return this.#service.demo;
  }

  get keys() {
    return this.#service.keys;
  }

  get ended() {
    return this.#service.ended;
  }

  /** Restarts the measurement after an attack has prepared its data. */
  async begin() {
    this.statuses.clear();
    await this.#begin();
  }

  /** Registers a function to run after the measurement. */
  later(close) {
    this.#closers.push(close);
  }

  /** Records whether the service took the bytes of the attack. */
  prove(isTaken) {
    this.#needsProof = true;
    this.#isTaken ||= isTaken;
  }

  get isTaken() {
    const answered = [...this.statuses.keys()].some((status) => Number(status) > 0);
    return this.#isTaken || (!this.#needsProof && answered);
  }

  note(text) {
    this.notes.push(text);
  }

  headers({ key = 'rich', actor = 0, headers = {} } = {}) {
    return {
      ...(key !== null && { authorization: `Bearer ${this.keys[key] ?? key}` }),
      ...(actor !== null && { 'x-auth-token': this.demo.accounts[actor].authToken }),
      ...headers,
    };
  }

  /** Sends one request and reads the response to its end. Only the first bytes of the body are kept. */
  async send(method, path, { body, isCounted = true, ...options } = {}) {
    const count = (status, rest) => this.#count(status, rest, isCounted);
    if (this.#service.ended) return count('gone');
    try {
      const response = await request(`${this.url}${path}`, {
        method,
        body,
        dispatcher: this.#agent,
        headers: this.headers(options),
      });
      let bytes = 0;
      const kept = [];
      for await (const chunk of response.body) {
        if (bytes < keptText) kept.push(chunk);
        bytes += chunk.length;
      }
      const text = Buffer.concat(kept).toString();
      return count(response.statusCode, { headers: response.headers, bytes, text, json: readJson(text) });
    } catch (error) {
      return count('failed', { text: String(error.cause ?? error) });
    }
  }

  #count(status, rest = {}, isCounted = true) {
    if (isCounted) this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    return { status, bytes: 0, text: '', json: null, headers: {}, ...rest };
  }

  rest(method, path, body, { headers, ...options } = {}) {
    const json = typeof body === 'string' || Buffer.isBuffer(body) ? body : body && JSON.stringify(body);
    return this.send(method, `/v1${path}`, {
      ...options,
      body: json,
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    });
  }

  graphql(query, variables, { headers, ...options } = {}) {
    return this.send('POST', '/graphql', {
      ...options,
      body: JSON.stringify({ query, variables }),
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
    });
  }

  /** Sends a preparatory request. Throws unless the response is 2xx. */
  async setUp(response) {
    const done = await response;
    if (!(done.status >= 200 && done.status < 300)) throw new Error(`setup: ${done.status} ${done.text.slice(0, 300)}`);
    return done.json.data;
  }

  /** Calls `work` for 0 to `count - 1`, with a limited number of concurrent calls. */
  async many(count, concurrency, work) {
    let next = 0;
    const worker = async () => {
      while (next < count && !this.ended) await work(next++);
    };
    await Promise.all(Array.from({ length: Math.min(count, concurrency) }, worker));
  }

  /** Opens a connection, writes, and calls `onData` for received bytes. The connection is closed after the measurement. */
  connect(text, { onData = () => {} } = {}) {
    const socket = connect(this.address);
    socket.on('error', () => {});
    socket.on('data', onData);
    if (text === undefined) socket.once('connect', () => this.prove(true));
    else socket.write(text, (error) => this.prove(!error));
    this.later(() => socket.destroy());
    return socket;
  }

  /** Writes a request byte by byte and counts the status of the response. Stops after `timeoutMs` without a response. */
  async raw(bytes, { timeoutMs = 5_000 } = {}) {
    const socket = connect(this.address);
    const answered = new Promise((resolve) => {
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
  async listen(behave) {
    this.#needsProof = true;
    const sockets = new Set();
    const state = { connections: 0, most: 0, behave };
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
    const breakAll = () => {
      for (const socket of sockets) socket.destroy();
    };
    return Object.assign(state, { breakAll, port: server.address().port, name: `127.0.0.1:${server.address().port}` });
  }

  /**
   * Starts a proxy that opens tunnels and answers the requests inside itself with `respond`, or passes them on while `isHonest`. `answered`
   * counts the answers.
   */
  async fakeProxy(respond) {
    const proxy = await this.listen((socket) =>
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
      }),
    );
    return Object.assign(proxy, { answered: 0, isHonest: false, headers: { 'x-proxy': `http://${proxy.name}` } });
  }

  /** Starts a webhook receiver. It answers handshakes, or calls `onCrc` for them; `answer` answers deliveries. */
  async receiver({ onCrc, answer = (_request, response) => response.end('{}') } = {}) {
    const state = { handshakes: 0, deliveries: 0, underWay: 0, most: 0, onCrc, answer };
    const server = createHttpServer((request, response) => {
      state.underWay++;
      state.most = Math.max(state.most, state.underWay);
      response.once('close', () => state.underWay--);
      request.resume();
      const token = new URL(request.url, 'http://receiver').searchParams.get('crc_token');
      if (token === null) {
        state.deliveries++;
        return state.answer(request, response);
      }
      state.handshakes++;
      if (state.onCrc) return state.onCrc(request, response, token);
      return response.end(JSON.stringify(answerCrc(token, receiverSecret)));
    });
    server.listen(0, 'localhost');
    await once(server, 'listening');
    this.later(() => {
      server.close();
      server.closeAllConnections();
    });
    return Object.assign(state, { url: `http://localhost:${server.address().port}/hook` });
  }

  async close() {
    for (const close of this.#closers.reverse()) await close();
    await this.#agent.destroy();
  }
}

export const opened = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** Writes the same bytes repeatedly, as fast as they are read. */
export function flood(socket, first, again) {
  const text = again.repeat(Math.ceil(65_536 / again.length));
  const write = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', write);
  socket.write(first);
  write();
}

export function awaitHead(socket, then) {
  let head = '';
  const read = (chunk) => {
    head += chunk.toString('latin1');
    if (!head.includes('\r\n\r\n')) return;
    socket.off('data', read);
    socket.resume();
    then(/^CONNECT (\S+)/.exec(head)?.[1] ?? '', head);
  };
  socket.on('data', read);
}

export function tunnel(socket, where) {
  const [host, port] = where.split(':');
  const behind = connect(Number(port), host, () => {
    socket.write(opened);
    socket.pipe(behind).pipe(socket);
  });
  behind.on('error', () => socket.destroy());
  behind.on('close', () => socket.destroy());
  socket.on('close', () => behind.destroy());
}

/** Returns `null` if the body is not JSON or was too long to keep. */
function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
