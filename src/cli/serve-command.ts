import { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { runUntilStopped } from './run-until-stopped.ts';

export function serveCommand(): Command {
  return new Command('serve').description('Run the gateway (what `npm start` does)').action(async () => {
    // The whole service takes longer to load than any other command to run, so that they do without it.
    const { serve } = await import('../serve.ts');
    const service = await serve(readConfig(process.env));
    process.stdout.write(`${service.welcome}\n`);
    await runUntilStopped(service.stop, service.onFailure);
  });
}
