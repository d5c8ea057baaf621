import { createServer } from 'node:http';
import { expect } from 'vitest';
import { OutboundGuard } from '../../../src/outbound/guard.ts';
import { ProxyPool } from '../../../src/outbound/proxy-pool.ts';
import type { PlatformCall } from '../../../src/platform/port.ts';
import type { AccountCaps } from '../../../src/platform/x/account-shares.ts';
import { XPlatform } from '../../../src/platform/x/adapter.ts';
import { type Runtime, systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { atEnd } from '../../support/at-end.ts';
import { originOf } from '../../support/listen.ts';
import { differencesFromX, readRequest } from '../../support/x-document.ts';

export interface Response {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** The body as text, which is sent as HTML. */
  html?: string;
  /** Breaks the connection instead, after the request was received or in the middle of the body; or sends nothing. */
  fault?: 'cut' | 'cut body' | 'silence';
}

/** An answer of X to each path. The key is the path, preceded by the method and a space if it is not GET. */
export type Answers = Record<string, Response | ((url: URL) => Response)>;

interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  token: string;
  /** The parsed body, or the text of a form. */
  sent: unknown;
}

export const now = Date.parse('2026-11-21T12:00:00.000Z');
/** A runtime whose clock stands still. */
export const runtime = { ...systemRuntime, now: () => now };

/** Starts a server with canned answers of X, and an adapter for it. Both close with the test, which fails if a request differs from X's document. */
export async function fakeX(
  answers: Answers,
  {
    appToken = null as string | null,
    clock = runtime as Runtime,
    caps = {} as Partial<AccountCaps>,
    stored = {} as Record<string, string>,
    isAway = false,
  } = {},
) {
  const requests: Received[] = [];
  const differences: string[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    const { bytes, ...checked } = await readRequest(request);
    const { method, body: sent = bytes.byteLength === 0 ? null : Buffer.from(bytes).toString('latin1') } = checked;
    requests.push({ method, path: url.pathname, query: url.searchParams, token, sent });
    differences.push(...differencesFromX(checked));
    const found = answers[method === 'GET' ? url.pathname : `${method} ${url.pathname}`];
    const {
      status = 200,
      headers = {},
      body,
      html,
      fault,
    } = (typeof found === 'function' ? found(url) : found) ?? {
      status: 404,
      body: null,
    };
    if (fault === 'silence') return;
    if (fault === 'cut') return request.socket.destroy();
    response.writeHead(status, { 'content-type': html === undefined ? 'application/json' : 'text/html', ...headers });
    const text = html ?? JSON.stringify(body);
    if (fault === undefined) return response.end(text);
    response.write(text.slice(0, text.length / 2), () => request.socket.destroy());
  });
  const origin = await originOf(server);
  const guard = new OutboundGuard({ allow: [], runtime });
  const proxies = new ProxyPool({ guard, runtime, maxResponseBytes: 1_024, timeoutMs: 1_000 });
  let exhausted = 0;
  const metered: unknown[][] = [];
  const platform = new XPlatform({
    origin,
    runtime: clock,
    proxies,
    timeoutMs: 5_000,
    identifiers: {
      find: async (hash) => stored[hash] ?? null,
      save: async (found) => {
        if (isAway) throw new Error('The store is away');
        for (const { hash, identifier } of found) stored[hash] = identifier;
      },
    },
    appToken: appToken === null ? null : new Secret(appToken),
    accountCaps: { percent: 25, dailyMicros: null, ...caps },
    onCreditExhausted: () => {
      exhausted += 1;
    },
    onCost: (...row) => metered.push(row),
  });
  atEnd(async () => {
    await platform.close();
    await proxies.close();
    expect(differences).toEqual([]);
  });
  const session = (call: Partial<PlatformCall> = {}) =>
    platform.as({
      account: 'acc',
      authToken: new Secret('user-token'),
      proxy: null,
      signal: null,
      tokenFor: () => '',
      ...call,
    });
  return { requests, session, metered, platform, exhausted: () => exhausted };
}
