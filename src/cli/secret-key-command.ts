import { Command } from 'commander';
import { CliError, print } from './print.ts';
import { withStore } from './with-admin.ts';

export function secretKeyCommand(): Command {
  const command = new Command('secret-key').description('Give up a lost key that encrypts stored data');
  command
    .command('reset')
    .description(
      'Delete all data that was encrypted with a lost key: webhooks, their events, stored responses and logins',
    )
    .option('--yes', 'confirm; without this option nothing is deleted')
    .option('--json', 'print { "reset": true }')
    .action(async (options: { yes?: boolean; json?: boolean }) => {
      if (!options.yes) {
        throw new CliError(
          'this deletes every webhook with its credentials and undelivered events, the responses stored for Idempotency-Keys, and logins at ' +
            'the platform; accounts, API keys and credit stay. Stop every Postern of this store, then repeat the command with --yes',
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
