import { Command } from 'commander';
import { startEmbeddedSandbox } from '../main/start-sandbox.ts';
import type { WorkerSandbox } from '../sandbox/worker-host.ts';
import { type Config, readConfig } from '../shared/config/config.ts';
import { runUntilStopped } from './run-until-stopped.ts';

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
