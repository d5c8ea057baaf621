import { Command } from 'commander';
import { formatIsoTime } from '../shared/model/time.ts';
import type { KeyRecord } from '../store/port.ts';
import { CliError, print, table } from './print.ts';
import { withAdmin } from './with-admin.ts';

export function keyCommand(): Command {
  const key = new Command('key').description('Create, list and revoke API keys');
  key
    .command('create')
    .description('Create a key. It is shown once')
    .requiredOption('--account <id>', 'id of the account that pays')
    .option('--name <name>', 'name of the key', 'Key')
    .option('--json', 'print { "id": …, "key": … }')
    .action(async (options: { account: string; name: string; json?: boolean }) => {
      const { id, key } = await withAdmin((admin) => admin.createKey(options.account, options.name));
      print(
        options.json,
        { id, key: key.expose() },
        `${key.expose()}\nKeep it now: only its hash is stored. Id: ${id}`,
      );
    });
  key
    .command('list')
    .description('List keys, each by its beginning')
    .option('--account <id>', 'list only the keys of this account')
    .option('--json', 'print an array')
    .action(async (options: { account?: string; json?: boolean }) => {
      const keys = (await withAdmin((admin) => admin.listKeys(options.account))).map(describe);
      const rows = keys.map((k) => [k.id, k.account, k.name, k.prefix, k.last_used_at ?? 'never', k.revoked_at ?? '']);
      print(options.json, keys, table(['ID', 'ACCOUNT', 'NAME', 'PREFIX', 'LAST USED', 'REVOKED'], rows));
    });
  key
    .command('revoke')
    .description('Revoke a key. A running service refuses it within 5 s')
    .argument('<id>', 'id of the key (`postern key list`)')
    .option('--json', 'print { "id": … }')
    .action(async (id: string, options: { json?: boolean }) => {
      const revoked = await withAdmin((admin) => admin.revokeKey(id));
      if (!revoked) throw new CliError(`no such key: ${id}. \`postern key list\` shows all`);
      print(options.json, { id }, `Revoked ${id} (${revoked.prefix}…)`);
    });
  return key;
}

function describe(key: KeyRecord) {
  return {
    id: key.id,
    account: key.account,
    name: key.name,
    prefix: key.prefix,
    created_at: formatIsoTime(key.createdAt),
    last_used_at: key.lastUsedAt === null ? null : formatIsoTime(key.lastUsedAt),
    revoked_at: key.revokedAt === null ? null : formatIsoTime(key.revokedAt),
  };
}
