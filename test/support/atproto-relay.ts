import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { AtprotoAddresses } from './atproto-network.ts';
import { close, listen } from './listen.ts';

/** `refused`: the request fails with 503 and has no effect. `lost`: the request is performed, and its response is lost. */
export type Fault = 'refused' | 'lost';

/** Forwards all requests to the PDS, and makes some of them fail. It is also the PLC directory, which names it as the PDS. */
export interface AtprotoRelay {
  /** The settings of a gateway that uses the relay. */
  readonly env: Record<string, string>;
  /** Makes `times` requests of a method fail, after `skip` further ones. */
  fail(method: string, fault: Fault, times?: number, skip?: number): void;
  /** Calls `action` once, before the next request of a method is forwarded. */
  before(method: string, action: () => Promise<unknown>): void;
  clear(): void;
  stop(): Promise<void>;
}

export async function startAtprotoRelay({ pdsUrl, plcUrl }: AtprotoAddresses): Promise<AtprotoRelay> {
  const faults: { method: string; fault: Fault; times: number; skip: number }[] = [];
  const actions = new Map<string, () => Promise<unknown>>();
  let own = '';

  const faultOf = (method: string): Fault | null => {
    const found = faults.find((each) => each.method === method && each.times > 0);
    if (!found) return null;
    if (found.skip > 0) {
      found.skip -= 1;
      return null;
    }
    found.times -= 1;
    return found.fault;
  };

  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    const sent = await buffer(request);
    const method = /^\/xrpc\/([\w.]+)/.exec(path)?.[1] ?? '';
    const action = actions.get(method);
    actions.delete(method);
    await action?.();
    const fault = faultOf(method);
    if (fault === 'refused') return void response.writeHead(503, { 'content-type': 'text/plain' }).end();
    const { authorization, accept, 'content-type': type } = request.headers;
    const headers = {
      ...(authorization && { authorization }),
      ...(accept && { accept }),
      ...(type && { 'content-type': type }),
    };
    const answer = await fetch((path.startsWith('/did:') ? plcUrl : pdsUrl) + path, {
      method: request.method ?? 'GET',
      headers,
      ...(sent.length > 0 && { body: new Uint8Array(sent) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (fault === 'lost') return void request.socket.destroy();
    const body = path.startsWith('/did:') ? bytes.toString().replaceAll(pdsUrl, own) : bytes;
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body);
  };

  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  own = `http://127.0.0.1:${await listen(server)}`;
  return {
    env: { PLATFORM_URL: own, ATPROTO_PLC_URL: own },
    fail: (method, fault, times = 1, skip = 0) => void faults.push({ method, fault, times, skip }),
    before: (method, action) => void actions.set(method, action),
    clear() {
      faults.length = 0;
      actions.clear();
    },
    stop: () => close(server),
  };
}
