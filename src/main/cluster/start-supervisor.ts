import { isatty } from 'node:tty';
import type { WorkerSandbox } from '../../sandbox/worker-host.ts';
import type { Config } from '../../shared/config/config.ts';
import { makeLogger } from '../../shared/observability/logger.ts';
import { systemRuntime } from '../../shared/runtime/runtime.ts';
import { Supervisor } from './supervisor.ts';

export interface SupervisedService {
  readonly welcome: string;
  onFailure(listener: (error: Error) => void): void;
  stop(): Promise<void>;
}

/** Starts the workers, and replaces them on SIGHUP. `sandbox` runs in this process. It is `null` if the platform runs elsewhere. */
export async function startSupervisor(
  config: Config,
  sandbox: Promise<WorkerSandbox> | null,
): Promise<SupervisedService> {
  const logger = makeLogger(config.log);
  const supervisor = new Supervisor({
    workers: config.workers,
    sandboxUrl: sandbox?.then(({ url }) => url) ?? Promise.resolve(null),
    runtime: systemRuntime,
    logger,
  });
  const { welcome } = await supervisor.start();
  // Without a sandbox, only the workers keep this process alive. If all workers have ended, it must live until it has started new ones.
  setInterval(() => {}, 60_000);
  const hadTerminal = isatty(0);
  process.on('SIGHUP', () => {
    // SIGHUP is also sent when the terminal is closed, which should stop the service.
    if (hadTerminal && !isatty(0)) process.emit('SIGTERM');
    else void supervisor.reload();
  });
  return {
    welcome,
    onFailure(listener) {
      supervisor.onFailure(listener);
      void sandbox?.then((running) => running.onExit(listener));
    },
    async stop() {
      await supervisor.stop();
      await (await sandbox)?.close();
      await new Promise<void>((resolve) => logger.flush(() => resolve()));
    },
  };
}
