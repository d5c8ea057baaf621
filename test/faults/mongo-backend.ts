import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import { type FoundMongo, type MongoServer, startMongo } from '../support/mongo-server.ts';
import type { Backend } from './backend.ts';
import { FaultProxy } from './fault-proxy.ts';
import { pause } from './gateway.ts';
import type { Fault } from './schedule.ts';

/** Starts gateways that share only a database, which they reach through an unreliable network. */
export async function mongoBackend(found: FoundMongo): Promise<Backend> {
  // Without this option, the server would lose writes that it acknowledged with `w: majority, j: true` when it is killed. mongod does not.
  const args = found.kind === 'secantus' ? ['--sync-on-commit'] : [];
  const server = await startMongo(found, { durable: true, args });
  const proxy = await FaultProxy.start(server.port);
  const store = await openMongoStore({ url: direct(server.url('faults')), runtime: systemRuntime });
  const secretKey = randomBytes(32).toString('base64');
  const dataDirs = new Map<number, string>();
  return {
    kind: 'mongodb',
    store,
    gatewayEnv(gateway) {
      const dataDir = dataDirs.get(gateway) ?? mkdtempSync(join(tmpdir(), 'postern-faults-mongodb-'));
      dataDirs.set(gateway, dataDir);
      const throughProxy = new URL(server.url('faults'));
      throughProxy.port = String(proxy.port);
      return { DATA_DIR: dataDir, MONGODB_URL: direct(throughProxy.href), SECRET_KEY: secretKey };
    },
    apply: (fault) => apply(fault, server, proxy),
    async close() {
      await store.close();
      await proxy.close();
      await server.stop();
      for (const dataDir of dataDirs.values()) rmSync(dataDir, { recursive: true });
    },
  };
}

/** Prevents the driver from learning the server's own address, with which it would bypass the proxy. */
function direct(url: string): string {
  const address = new URL(url);
  address.searchParams.set('directConnection', 'true');
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
