import { Command } from 'commander';
import { startEmbeddedSandbox } from '../main/start-sandbox.ts';
import type { WorkerSandbox } from '../sandbox/worker-host.ts';
import { type Config, readConfig } from '../shared/config/config.ts';

export function serveCommand(): Command {
  return new Command('serve').description('Run the gateway; `npm start` does the same').action(async () => {
    const config = readConfig(process.env);
    // The sandbox creates its dataset in its own thread while this thread loads the service.
    const sandbox = startEmbeddedSandbox(config);
    const service = await load(config, sandbox).catch(async (error) => {
      await (await sandbox?.catch(() => null))?.close();
      throw error;
    });
    process.stdout.write(`${service.welcome}\n`);
    void service.warmUp();
    await runUntilStopped(
      () => service.stop(),
      (listener) => service.onFailure(listener),
    );
  });
}

/** Loads the service. The imports are dynamic, because loading the service takes longer than any other command needs to run. */
async function load(config: Config, sandbox: Promise<WorkerSandbox> | null) {
  const { serve } = await import('../main/serve.ts');
  return serve(config, sandbox ? { startSandbox: () => sandbox } : {});
}

/**
 * Waits for SIGTERM or SIGINT, stops the service and ends the process with status 0. A second signal ends the process immediately with
 * status 1. If `onFailure` reports an error, stops the service and ends with status 1.
 */
export async function runUntilStopped(
  stop: () => Promise<void>,
  onFailure: (listener: (error: Error) => void) => void = () => {},
): Promise<void> {
  const failure = await new Promise<Error | null>((resolve) => {
    process.once('SIGTERM', () => resolve(null));
    process.once('SIGINT', () => resolve(null));
    onFailure(resolve);
  });
  if (failure) process.stderr.write(`postern: ${failure.message}; stopping\n`);
  const endAtOnce = () => process.exit(1);
  process.once('SIGTERM', endAtOnce);
  process.once('SIGINT', endAtOnce);
  await stop();
  // A connection that does not close would keep the process alive.
  process.exit(failure ? 1 : 0);
}
