import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from 'proxy-chain';
import type { Backend } from '../../test/faults/backend.ts';
import type { TestReceiver } from '../../test/support/receiver.ts';
import type { SandboxControl } from '../../test/support/sandbox-control.ts';

interface Context {
  sandbox: SandboxControl;
  backend: Backend;
  receiver: TestReceiver;
  /** The forward proxy that some calls name. */
  proxy: Server;
}

type InjectFault = (context: Context, ms: number) => Promise<void>;

const onPlatform =
  (fault: Record<string, unknown>): InjectFault =>
  async ({ sandbox }, ms) => {
    await sandbox.setFault({ fault, times: null });
    await sleep(ms);
    await sandbox.clearFaults();
  };

/** Each function begins a fault and ends it after `ms`. Faults of the store and the proxy last half as long. */
const faults: Record<string, InjectFault> = {
  'platform slow': onPlatform({ kind: 'latency', ms: 1_000 }),
  'platform errors': onPlatform({ kind: 'status', status: 500 }),
  'platform down': onPlatform({ kind: 'reset' }),
  'proxy dead': async (context, ms) => {
    const { port } = context.proxy;
    await context.proxy.close(true);
    await sleep(ms / 2);
    context.proxy = await startProxy(port);
  },
  'store away': ({ backend }, ms) =>
    backend.apply(
      backend.kind === 'sqlite' ? { kind: 'lock', ms: ms / 2, killed: false } : { kind: 'half-open', ms: ms / 2 },
    ),
  'receiver slow': async ({ receiver }, ms) => {
    receiver.answerWith(() => ({ status: 200, delayMs: 2_000 }));
    await sleep(ms);
    receiver.answerWith(() => ({ status: 200 }));
  },
};

export async function startProxy(port = 0): Promise<Server> {
  const server = new Server({ port, host: '127.0.0.1' });
  await server.listen();
  return server;
}

/** The time of a fault, by `performance.now()`. `to` is infinite while the fault lasts. */
export interface FaultWindow {
  kind: string;
  from: number;
  to: number;
}

/**
 * Injects faults for `seconds`. Each round has all kinds of faults, in a random order that depends only on the seed, with equal pauses. A
 * round takes about five minutes, or the whole run if the run is shorter. Adds the time of each fault to `windows`.
 */
export async function injectFaults(
  seconds: number,
  context: Context,
  windows: FaultWindow[],
  random: () => number,
): Promise<void> {
  const rounds = Math.max(1, Math.round(seconds / 300));
  const kinds = Array.from({ length: rounds }, () =>
    Object.keys(faults)
      .map((kind) => ({ kind, rank: random() }))
      .sort((a, b) => a.rank - b.rank),
  ).flat();
  const faultMs = Math.min(10_000, (seconds * 1_000) / 30);
  const pauseMs = (seconds * 1_000 - kinds.length * faultMs) / (kinds.length + 1);
  for (const { kind } of kinds) {
    await sleep(pauseMs);
    const window = { kind, from: performance.now(), to: Number.POSITIVE_INFINITY };
    windows.push(window);
    await faults[kind]?.(context, faultMs);
    window.to = performance.now();
  }
  await sleep(pauseMs);
}
