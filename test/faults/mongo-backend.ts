import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import { fakeTime } from '../support/fake-time.ts';
import { type FoundMongo, type MongoServer, startMongo } from '../support/mongo-server.ts';
import { type Backend, type BackendOptions, fillFor } from './backend.ts';
import { FaultProxy } from './fault-proxy.ts';
import { GatewayClock, pause } from './gateway.ts';
import type { Fault } from './schedule.ts';

/** Starts gateways that share only a database, which they reach through an unreliable network. */
export async function mongoBackend(found: FoundMongo, { disk }: BackendOptions = {}): Promise<Backend> {
  // libfaketime makes secantusd many times slower, so its clock is moved only on request.
  const time = process.env['KILLS_DATABASE_CLOCK'] === '1' ? fakeTime() : null;
  const server = await startMongo(found, {
    durable: true,
    ...(time && { env: time.env }),
    ...(disk && { parent: disk.path }),
  });
  const proxy = await FaultProxy.start(server.port);
  let store: Promise<Store> | undefined;
  const secretKey = randomBytes(32).toString('base64');
  const dataDirs = new Map<number, string>();
  const clocks = new Map<number, GatewayClock>();
  return {
    kind: 'mongodb',
    store() {
      store ??= openMongoStore({ url: direct(server.url('faults')), runtime: systemRuntime });
      return store;
    },
    gatewayEnv(gateway) {
      const dataDir = dataDirs.get(gateway) ?? mkdtempSync(join(tmpdir(), 'postern-faults-mongodb-'));
      dataDirs.set(gateway, dataDir);
      const throughProxy = new URL(server.url('faults'));
      throughProxy.port = String(proxy.port);
      return { DATA_DIR: dataDir, MONGODB_URL: direct(throughProxy.href), SECRET_KEY: secretKey };
    },
    gatewayClock(gateway) {
      const clock = clocks.get(gateway) ?? new GatewayClock();
      clocks.set(gateway, clock);
      return clock;
    },
    hasClock: time !== null,
    async apply(fault) {
      if (fault.kind === 'clock-database') return time?.shift(fault.shiftMs);
      if (fault.kind !== 'disk-full') return apply(fault, server, proxy);
      await fillFor(disk, fault.ms);
      // A server that cannot write its log ends (mongod), or refuses all writes until it is started again (secantusd).
      await server.restart();
    },
    async close() {
      await (await store)?.close();
      await proxy.close();
      await server.stop();
      time?.remove();
      for (const clock of clocks.values()) clock.remove();
      for (const dataDir of dataDirs.values()) rmSync(dataDir, { recursive: true });
    },
  };
}

/**
 * Sets `directConnection`. Without it, the driver would learn the server's own address and bypass the proxy. Runs that are recorded keep
 * Postern's default time limits. Other runs get longer limits, because the machine may be busy.
 */
function direct(url: string): string {
  const address = new URL(url);
  address.searchParams.set('directConnection', 'true');
  if (process.env['KILLS_RESULTS']) return address.href;
  for (const limit of ['connectTimeoutMS', 'serverSelectionTimeoutMS']) address.searchParams.set(limit, '30000');
  return address.href;
}

async function apply(fault: Fault, server: MongoServer, proxy: FaultProxy): Promise<void> {
  switch (fault.kind) {
    case 'reset':
      proxy.reset();
      return;
    case 'latency':
      proxy.delay(fault.delayMs);
      await pause(fault.ms);
      return proxy.heal();
    case 'lose-answers':
    case 'half-open':
      proxy.become(fault.kind === 'half-open' ? 'silent' : 'lose-answers');
      await pause(fault.ms);
      return proxy.heal();
    case 'pause-database':
      server.pause();
      await pause(fault.ms);
      return server.resume();
    case 'kill-database':
      await server.kill();
      await pause(fault.downMs);
      return server.restart();
    default:
      throw new Error(`MongoDB has no ${fault.kind}`);
  }
}
