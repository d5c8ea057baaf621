import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AccountAdmin } from '../../../src/billing/account-admin.ts';
import { openStore } from '../../../src/main/open-store.ts';
import { serve } from '../../../src/main/serve.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { parseDollars } from '../../../src/shared/model/money.ts';
import { makeLogger } from '../../../src/shared/observability/logger.ts';
import { type Runtime, systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { atEnd } from '../../support/at-end.ts';
import { Client } from '../../support/client.ts';
import { listen as listenOn } from '../../support/listen.ts';
import { patientRuntime } from '../../support/patient-runtime.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export const did = 'did:plc:abcdefghijklmnopqrstuvwx';
export const loopback = { OUTBOUND_ALLOW: '127.0.0.0/8' };
export const profile = { did, handle: 'alice.test', displayName: 'Alice' };

/** Returns an access token that expires in `seconds`. */
export const tokenOf = (seconds: number, name = 'access') =>
  [{ alg: 'none' }, { sub: did, exp: Math.floor(Date.now() / 1_000) + seconds, name }, 'sign']
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');

/** The response to a login. */
export const sessionWith = (accessJwt: string, refreshJwt = tokenOf(86_400, 'refresh')) => ({
  did,
  handle: 'alice.test',
  accessJwt,
  refreshJwt,
});

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Respond =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export async function listen(routes: Record<string, Respond>) {
  const seen: { path: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '').replace('/xrpc/', '');
    seen.push({ path, authorization: request.headers.authorization });
    (routes[path] ?? json({ error: 'MethodNotImplemented' }, 501))(request, response);
  });
  return { url: `http://127.0.0.1:${await listenOn(server)}`, seen, routes };
}

/** A DID document that names a server. */
export const documentOf = (serviceEndpoint: string) =>
  json({ id: did, service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint }] });

/** A login server, a PLC directory and a PDS, each on a port of its own, with a gateway in front of them. */
export async function start(env: Record<string, string> = {}, runtime: Runtime = patientRuntime) {
  const pds = await listen({ 'app.bsky.actor.getProfile': json(profile) });
  const logins = await listen({
    'com.atproto.server.createSession': json(sessionWith(tokenOf(3_600))),
  });
  const plc = await listen({ [`/${did}`]: documentOf(pds.url) });
  const config = readConfig({
    PORT: '0',
    DATA_DIR: temporaryFolder(),
    MAX_EVENT_LOOP_DELAY_MS: '600000',
    MAX_REQUESTS_IN_FLIGHT: '100000',
    MAX_CONCURRENT_REQUESTS: '0',
    PLATFORM_TIMEOUT_MS: '3000',
    PLATFORM_KIND: 'atproto',
    PLATFORM_URL: logins.url,
    ATPROTO_PLC_URL: plc.url,
    ...env,
  });
  const store = await openStore(config, systemRuntime);
  const ttls: number[] = [];
  const log: string[] = [];
  let storeReads = 0;
  const platformState: typeof store.platformState = {
    read(name) {
      storeReads += 1;
      return store.platformState.read(name);
    },
    write(name, sealed, previous, ttlMs) {
      ttls.push(ttlMs);
      return store.platformState.write(name, sealed, previous, ttlMs);
    },
  };
  const gateway = await serve(config, {
    openStore: () => ({ ...store, platformState, close: async () => {} }),
    logger: makeLogger({ level: 'trace', format: 'json' }, { write: (line) => log.push(line) }),
    tasks: { worker: new URL('../../../dist/main/task-worker.js', import.meta.url) },
    runtime,
  });
  atEnd(async () => {
    await gateway.stop();
    await store.close();
  });
  const admin = new AccountAdmin(store, systemRuntime);
  const { key } = await admin.createKey(await admin.createAccount('Test', parseDollars('1') ?? 0), 'Test key');
  const access = { baseUrl: `${gateway.origin}/v1`, key: key.expose() };
  const client = new Client({ ...access, authToken: 'alice.test:pass-word' });
  return { pds, logins, plc, access, client, ttls, store, log, storeReads: () => storeReads };
}
