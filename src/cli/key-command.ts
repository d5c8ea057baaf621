import { Command } from 'commander';
import { formatIsoTime } from '../shared/model/time.ts';
import type { KeyRecord } from '../store/port.ts';
import { CliError, print, table } from './print.ts';
import { withAdmin } from './with-admin.ts';

export function keyCommand(): Command {
  const key = new Command('key').description('API keys: how callers identify themselves');
  key
    .command('create')
    .description('Make a key; it is shown once')
    .requiredOption('--account <id>', 'the account that pays')
    .option('--name <name>', 'what people call it', 'Key')
    .option('--json', 'answer { "id": …, "key": … }')
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
    .description('Keys, by the beginning of each')
    .option('--account <id>', 'of this account only')
    .option('--json', 'answer an array')
    .action(async (options: { account?: string; json?: boolean }) => {
      const keys = (await withAdmin((admin) => admin.listKeys(options.account))).map(describe);
      const rows = keys.map((k) => [k.id, k.account, k.name, k.prefix, k.last_used_at ?? 'never', k.revoked_at ?? '']);
      print(options.json, keys, table(['ID', 'ACCOUNT', 'NAME', 'PREFIX', 'LAST USED', 'REVOKED'], rows));
    });
  key
    .command('revoke')
    .description('End a key; a running service refuses it within 5 s')
    .argument('<id>', 'the key, by its id (`postern key list`)')
    .option('--json', 'answer { "id": … }')
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
