import { join } from 'node:path';
import { Command } from 'commander';
import { makeDataDir } from '../main/open-store.ts';
import { commandName } from '../shared/config/command-name.ts';
import { readConfig } from '../shared/config/config.ts';
import { runUntilStopped } from './serve-command.ts';

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .summary('Run the sandbox platform alone')
    .description('Run the sandbox platform alone, so that several gateways can share it')
    .action(async () => {
      const config = readConfig({ ...process.env, PLATFORM_URL: undefined, PLATFORM_KIND: undefined });
      makeDataDir(config);
      const { startSandbox } = await import('../sandbox/sandbox.ts');
      const sandbox = await startSandbox({ ...config.sandbox, dataDir: join(config.dataDir, 'sandbox') });
      process.stdout.write(
        `The sandbox platform is listening on ${sandbox.url}\n\n` +
          `A gateway that uses it:\n\n  PLATFORM_URL=${sandbox.url} PLATFORM_KIND=sandbox ${commandName} serve\n\n`,
      );
      await runUntilStopped(() => sandbox.close());
    });
}
