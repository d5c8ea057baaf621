import cluster from 'node:cluster';
import { readConfig } from '../../shared/config/config.ts';
import { metricsSnapshotOf } from '../../shared/observability/merged-metrics.ts';
import { Metrics } from '../../shared/observability/metrics.ts';
import { serve } from '../serve.ts';
import { Channel } from './channel.ts';
import { processIdName, type SupervisorApi, type WorkerApi, workerNumberName } from './protocol.ts';
import { workerGroup } from './worker-group.ts';

/** Runs the service in a worker process until the supervisor stops it. */
export async function runWorker(): Promise<never> {
  // Signals are ignored, because terminals and systemd send them to all processes of the service, and the supervisor stops its workers.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  let replaced = false;
  let stopped = (_error: Error | null) => {};
  const end = new Promise<Error | null>((resolve) => {
    stopped = resolve;
  });
  const own: WorkerApi = {
    metrics: () => metricsSnapshotOf(metrics.registry),
    stop: (options) => {
      replaced = options.replaced;
      stopped(null);
    },
  };
  const channel = new Channel<SupervisorApi>((batch) => cluster.worker?.send(batch, () => {}), own);
  const metrics = new Metrics(() => channel.call('metricsText'));
  process.on('message', (message) => channel.receive(message));

  const { [workerNumberName]: worker, [processIdName]: processId = '' } = process.env;
  const group = workerGroup(channel, { worker: Number(worker), processId, isReplaced: () => replaced, metrics });
  const sandboxUrl = await channel.call('sandboxUrl');
  const platform = sandboxUrl === null ? {} : { PLATFORM_URL: sandboxUrl, PLATFORM_KIND: 'sandbox' };
  const service = await serve(readConfig({ ...process.env, ...platform }), { group });
  service.onFailure(stopped);
  const { origin, welcome } = service;
  channel.tell('listening', { origin, welcome });

  const failure = await end;
  if (failure) process.stderr.write(`postern: worker ${worker}: ${failure.message}; stopping\n`);
  await service.stop({ handOver: replaced });
  await channel.call('stopped', await metricsSnapshotOf(metrics.registry));
  // The channel to the supervisor would keep the process alive.
  process.exit(failure ? 1 : 0);
}
