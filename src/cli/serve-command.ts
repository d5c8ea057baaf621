import { Command } from 'commander';
import type { Overrides } from '../main/app.ts';
import type { Service } from '../main/serve.ts';
import { startSandbox } from '../main/start-sandbox.ts';
import { type Config, readConfig } from '../shared/config/config.ts';
import { runUntilStopped } from './run-until-stopped.ts';

export function serveCommand(): Command {
  return new Command('serve').description('Run the gateway; `npm start` does the same').action(async () => {
    const config = readConfig(process.env);
    // The sandbox makes its dataset in a thread of its own while this thread loads the service.
    const sandbox = startSandbox(config);
    const service = await load(config, sandbox ? { startSandbox: () => sandbox } : {}).catch(async (error) => {
      await (await sandbox?.catch(() => null))?.close();
      throw error;
    });
    process.stdout.write(`${service.welcome}\n`);
    await runUntilStopped(service.stop, service.onFailure);
  });
}

/** Loads the service only for `serve`, because loading it takes longer than any other command needs to run. */
async function load(config: Config, overrides: Overrides): Promise<Service> {
  const { serve } = await import('../main/serve.ts');
  return serve(config, overrides);
}
