import { Command } from 'commander';
import { readConfig } from '../shared/config/config.ts';
import { formatIsoTime } from '../shared/model/time.ts';
import { CliError, print } from './print.ts';
import { withStore } from './with-admin.ts';

export function secretsCommand(): Command {
  const command = new Command('secrets').description('Change the secret key');
  command
    .command('rotate')
    .description('Encrypt stored secrets with the first key of SECRET_KEY=<new>,<old>. Gateways may run')
    .option('--json', 'print { "checked": …, "rotated": …, "old_key_removable_at": … }')
    .action(async (options: { json?: boolean }) => {
      const { rotateSecrets } = await import('../main/rotate-secrets.ts');
      const { isTTY } = process.stderr;
      const { checked, rotated, unreadable, removableAt } = await withStore((store) =>
        rotateSecrets(store, readConfig(process.env), (progress) => {
          if (progress.checked % 100 !== 0) return;
          const text = `Checked ${progress.checked} records, encrypted ${progress.rotated}`;
          process.stderr.write(isTTY ? `\r${text}` : `${text}\n`);
        }),
      );
      if (isTTY && checked >= 100) process.stderr.write('\n');
      if (unreadable > 0) {
        throw new CliError(
          `${unreadable} of ${checked} records need a key that is not in SECRET_KEY. Add it at the end and repeat the command`,
        );
      }
      const time = removableAt === null ? null : formatIsoTime(removableAt);
      const done = `Encrypted ${rotated} of ${checked} records with the first key.`;
      const next =
        time === null
          ? 'SECRET_KEY has no older key'
          : `Remove the old key after ${time}, when events and stored responses that need it have expired, and run this command again before`;
      print(options.json, { checked, rotated, old_key_removable_at: time }, `${done} ${next}`);
    });
  return command;
}

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
