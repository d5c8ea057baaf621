import { Command } from 'commander';
import { CliError, print } from './print.ts';
import { withStore } from './with-admin.ts';

export function secretKeyCommand(): Command {
  const command = new Command('secret-key').description('The key that encrypts stored data');
  command
    .command('reset')
    .description('Delete what was encrypted with a key that is lost: webhooks, their events, kept responses')
    .option('--yes', 'do it; without this nothing is deleted')
    .option('--json', 'answer { "reset": true }')
    .action(async (options: { yes?: boolean; json?: boolean }) => {
      if (!options.yes) {
        throw new CliError(
          'this deletes every webhook with its credentials and undelivered events, and the responses kept for Idempotency-Keys; ' +
            'accounts, API keys and credit stay. Stop every Postern of this store, then repeat it with --yes',
        );
      }
      await withStore((store) => store.secretCheck.discardSealed());
      print(
        options.json,
        { reset: true },
        'Deleted. The next start uses SECRET_KEY, or makes a new secret.key in DATA_DIR',
      );
    });
  return command;
}
