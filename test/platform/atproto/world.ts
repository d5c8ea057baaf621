import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { AccountAdmin } from '../../../src/billing/account-admin.ts';
import { openStore } from '../../../src/main/open-store.ts';
import { serve } from '../../../src/main/serve.ts';
import { encodeRecordUri } from '../../../src/platform/atproto/identifiers.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { parseDollars } from '../../../src/shared/model/money.ts';
import { makeLogger } from '../../../src/shared/observability/logger.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import type { AtprotoAddresses } from '../../support/atproto-network.ts';
import { type Answer, Client } from '../../support/client.ts';
import { patientRuntime } from '../../support/patient-runtime.ts';
import { until } from '../../support/until.ts';

export interface Person {
  handle: string;
  did: string;
  password: string;
  accessJwt: string;
  /** Calls the gateway as this account. */
  client: Client;
}

export interface Gateway {
  origin: string;
  clientOf(authToken: string): Client;
  /** Returns the number of requests that the gateway has sent to an XRPC method. */
  sent(method: string): Promise<number>;
  stop(): Promise<void>;
}

/** The official AT Protocol servers, which all test files share, and a gateway that uses them as its platform. */
export interface AtprotoFixture extends Gateway {
  network: AtprotoAddresses;
  /** All log lines of the gateways. */
  log: string[];
  /** Creates an account with a profile and a handle of its own, such as `alice-x7f3q.test`, and waits until the AppView returns it. */
  join(name: string): Promise<Person>;
  /** Calls an XRPC method of the PDS directly. */
  xrpc(person: Person, method: string, input: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** The address of the gateway, and the key of the account that pays for the calls of `clientOf`. */
  api: { baseUrl: string; graphqlUrl: string; payerKey: string };
  /** Creates an account of the gateway with this credit. */
  makeAccount(dollars: string): Promise<{ key: string }>;
  /** Makes an account a trusted verifier that has verified a user. */
  verify(verifier: Person, subject: Person, displayName: string): Promise<void>;
  /** Creates a list and returns its id. */
  listOf(owner: Person, members: readonly Person[]): Promise<string>;
  /** Returns the numeric id of a record. */
  idOf(uri: string): string;
  /** Starts another gateway on the same store. */
  startGateway(): Promise<Gateway>;
}

/** Repeats a read until `holds` returns true, because the AppView indexes a write a few tenths of a second later. */
export function eventually(ask: () => Promise<Answer>, holds: (answer: Answer) => boolean): Promise<Answer> {
  return until(async () => {
    const answer = await ask();
    expect(holds(answer), JSON.stringify(answer.body).slice(0, 500)).toBe(true);
    return answer;
  });
}

async function sharedNetwork(): Promise<AtprotoAddresses> {
  const response = await fetch(inject('sharedAtprotoNetwork'));
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as AtprotoAddresses;
}

/** `env` has settings of the gateway. `prepare` returns those that depend on the network. */
export async function startAtprotoFixture(
  env: Record<string, string> = {},
  prepare: (network: AtprotoAddresses) => Promise<Record<string, string>> = async () => ({}),
): Promise<AtprotoFixture> {
  const network = await sharedNetwork();
  const prepared = await prepare(network);
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-atproto-test-'));
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    MAX_EVENT_LOOP_DELAY_MS: '600000',
    MAX_REQUESTS_IN_FLIGHT: '100000',
    MAX_CONCURRENT_REQUESTS: '0',
    RATE_LIMIT: '0',
    FAILED_CALL_RATE_LIMIT: '0',
    PLATFORM_KIND: 'atproto',
    PLATFORM_URL: network.pdsUrl,
    ATPROTO_PLC_URL: network.plcUrl,
    ...env,
    ...prepared,
  });
  const log: string[] = [];
  const store = await openStore(config, systemRuntime);
  const admin = new AccountAdmin(store, systemRuntime);
  const account = await admin.createAccount('Test', parseDollars('100') ?? 0);
  const { key } = await admin.createKey(account, 'Test key');
  const idOf = (uri: string) => encodeRecordUri(uri)?.id ?? '';
  const shared = { ...store, close: async () => {} };
  const startGateway = async (): Promise<Gateway> => {
    const service = await serve(config, {
      openStore: () => shared,
      logger: makeLogger({ level: 'trace', format: 'json' }, { write: (line) => void log.push(line) }),
      tasks: { worker: new URL('../../../dist/main/task-worker.js', import.meta.url) },
      runtime: patientRuntime,
    });
    return {
      origin: service.origin,
      clientOf: (authToken) => new Client({ baseUrl: `${service.origin}/v1`, key: key.expose(), authToken }),
      async sent(method) {
        const text = await (await fetch(`${service.origin}/metrics`)).text();
        const lines = text.split('\n').filter((line) => line.startsWith('postern_platform_requests_total'));
        const counts = lines
          .filter((line) => line.includes(`"${method}"`))
          .map((line) => Number(line.split(' ').at(-1)));
        return counts.reduce((sum, count) => sum + count, 0);
      },
      stop: service.stop,
    };
  };
  const gateway = await startGateway();
  const post = async (method: string, input: Record<string, unknown>, token?: string) => {
    const response = await fetch(`${network.pdsUrl}/xrpc/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(input),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method}: ${response.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  };
  return {
    ...gateway,
    network,
    log,
    startGateway,
    idOf,
    api: { baseUrl: `${gateway.origin}/v1`, graphqlUrl: `${gateway.origin}/graphql`, payerKey: key.expose() },
    async makeAccount(dollars) {
      const made = await admin.createKey(await admin.createAccount('Test', parseDollars(dollars) ?? 0), 'Test key');
      return { key: made.key.expose() };
    },
    async verify(verifier, { did, handle }, displayName) {
      const sql = `update bsky.actor set "trustedVerifier" = true where did = '${verifier.did}'`;
      execFileSync('psql', [network.postgresUrl, '-qc', sql]);
      const collection = 'app.bsky.graph.verification';
      const record = { $type: collection, subject: did, handle, displayName, createdAt: new Date().toISOString() };
      await post('com.atproto.repo.createRecord', { repo: verifier.did, collection, record }, verifier.accessJwt);
    },
    async listOf(owner, members) {
      const createdAt = new Date().toISOString();
      const create = (collection: string, record: Record<string, unknown>) => {
        const input = { repo: owner.did, collection, record: { ...record, createdAt } };
        return post('com.atproto.repo.createRecord', input, owner.accessJwt);
      };
      const purpose = 'app.bsky.graph.defs#curatelist';
      const { uri: list } = await create('app.bsky.graph.list', { name: 'Weavers', purpose });
      for (const { did: subject } of members) await create('app.bsky.graph.listitem', { subject, list });
      return idOf(String(list));
    },
    async join(name) {
      const unique = `${name}-${randomBytes(3).toString('hex')}`;
      const handle = `${unique}.test`;
      const password = `password-of-${unique}`;
      const email = `${unique}@example.org`;
      const made = await post('com.atproto.server.createAccount', { handle, password, email });
      const did = String(made['did']);
      const accessJwt = String(made['accessJwt']);
      const collection = 'app.bsky.actor.profile';
      const record = { $type: collection, displayName: name.toUpperCase() };
      await post('com.atproto.repo.putRecord', { repo: did, collection, rkey: 'self', record }, accessJwt);
      // The AppView indexes a new account a few tenths of a second after its creation.
      const profile = new URL(`/xrpc/app.bsky.actor.getProfile?actor=${did}`, network.appViewUrl);
      await until(async () => {
        const { displayName, handle: shown } = (await (await fetch(profile)).json()) as Record<string, unknown>;
        expect([displayName, shown]).toEqual([record.displayName, handle]);
      });
      return { handle, did, password, accessJwt, client: gateway.clientOf(`${handle}:${password}`) };
    },
    xrpc: (person, method, input) => post(method, input, person.accessJwt),
    async stop() {
      await gateway.stop();
      await store.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}
