import { Command } from 'commander';
import type { Overrides } from '../main/app.ts';
import type { Service } from '../main/serve.ts';
import { startSandbox } from '../main/start-sandbox.ts';
import { type Config, readConfig } from '../shared/config/config.ts';
import { runUntilStopped } from './run-until-stopped.ts';

export function serveCommand(): Command {
  return new Command('serve').description('Run the gateway (what `npm start` does)').action(async () => {
    const config = readConfig(process.env);
    // Its thread makes a dataset while this one loads the service.
    const sandbox = startSandbox(config);
    const service = await load(config, sandbox ? { startSandbox: () => sandbox } : {}).catch(async (error) => {
      await (await sandbox?.catch(() => null))?.close();
      throw error;
    });
    process.stdout.write(`${service.welcome}\n`);
    await runUntilStopped(service.stop, service.onFailure);
  });
}

/** The whole service takes longer to load than any other command to run, so that they do without it. */
async function load(config: Config, overrides: Overrides): Promise<Service> {
  const { serve } = await import('../main/serve.ts');
  return serve(config, overrides);
}
