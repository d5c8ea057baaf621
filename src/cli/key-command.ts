import { Command } from 'commander';
import type { RestrictionsInput, viewOfRestrictions } from '../billing/key-restrictions.ts';
import { formatIsoTime } from '../shared/model/time.ts';
import type { KeyRecord } from '../store/port.ts';
import { CliError, print, table } from './print.ts';
import { withAdmin } from './with-admin.ts';

interface RestrictionOptions {
  readOnly?: boolean;
  groups?: string;
  connections?: string;
  ipRanges?: string;
  callsPerMinute?: string;
  dollarsPerDay?: string;
  expiresAt?: string;
}

interface CreateOptions extends RestrictionOptions {
  account: string;
  name: string;
  json?: boolean;
}

export function keyCommand(): Command {
  const key = new Command('key').description('Create, list and revoke API keys');
  key
    .command('create')
    .description('Create a key. It is shown once')
    .requiredOption('--account <id>', 'id of the account that pays')
    .option('--name <name>', 'name of the key', 'Key')
    .option('--read-only', 'the key may only read')
    .option('--groups <names>', 'groups of endpoints that the key may call, such as tweet,user')
    .option(
      '--connections <ids>',
      'connections that the key may use as auth_token, such as conn_5f0c2b7d9e8a4c6b1d3f7a',
    )
    .option('--ip-ranges <ranges>', 'client addresses that may use the key, such as 203.0.113.0/24,2001:db8::1')
    .option('--calls-per-minute <number>', 'limit of calls per minute, if it is below the limit of the account')
    .option('--dollars-per-day <dollars>', 'dollars that the key may be charged in a day (UTC), such as 0.5')
    .option('--expires-at <time>', 'time from which the key is refused, such as 2027-01-01T00:00:00Z')
    .option('--json', 'print { "id": …, "key": … }')
    .action(async (options: CreateOptions) => {
      const restrictions = await readOptions(options);
      const { id, key } = await withAdmin((admin) => admin.createKey(options.account, options.name, restrictions));
      const exposed = key.expose();
      print(options.json, { id, key: exposed }, exposed, `Keep it now: only its hash is stored. Id: ${id}`);
    });
  key
    .command('list')
    .description('List keys, each by its beginning')
    .option('--account <id>', 'list only the keys of this account')
    .option('--json', 'print an array')
    .action(async (options: { account?: string; json?: boolean }) => {
      const { viewOfRestrictions } = await import('../billing/key-restrictions.ts');
      const keys = (await withAdmin((admin) => admin.listKeys(options.account))).map((key) => {
        return { ...viewOfKey(key), ...viewOfRestrictions(key.restrictions) };
      });
      const rows = keys.map((k) => [
        ...[k.id, k.account, k.name, k.prefix, k.last_used_at ?? 'never', k.revoked_at ?? ''],
        restrictionsText(k),
      ]);
      print(
        options.json,
        keys,
        table(['ID', 'ACCOUNT', 'NAME', 'PREFIX', 'LAST USED', 'REVOKED', 'RESTRICTIONS'], rows),
      );
    });
  key
    .command('revoke')
    .description('Revoke a key. A running service refuses it within 5 s')
    .argument('<id>', 'id of the key (`postern key list`)')
    .option('--json', 'print { "id": … }')
    .action(async (id: string, options: { json?: boolean }) => {
      const revoked = await withAdmin((admin) => admin.revokeKey(id));
      if (!revoked) throw new CliError(`no such key: ${id}. \`postern key list\` shows all`, 'not_found');
      print(options.json, { id }, `Revoked ${id} (${revoked.prefix}…)`);
    });
  return key;
}

/** Reads the restrictions of a new key from the options. The schema of `POST /account/keys` checks them. */
async function readOptions({
  groups,
  connections,
  ipRanges,
  callsPerMinute,
  ...options
}: RestrictionOptions): Promise<RestrictionsInput> {
  const [{ z }, { restrictionsInput }] = await Promise.all([
    import('zod'),
    import('../shared/model/key-restrictions.ts'),
  ]);
  const parsed = z.object(restrictionsInput).safeParse({
    read_only: options.readOnly,
    groups: groups?.split(','),
    connections: connections?.split(','),
    ip_ranges: ipRanges?.split(','),
    calls_per_minute: callsPerMinute === undefined ? undefined : Number(callsPerMinute),
    dollars_per_day: options.dollarsPerDay,
    expires_at: options.expiresAt,
  });
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0] ?? { path: [], message: '' };
  throw new CliError(`--${String(path[0]).replaceAll('_', '-')}: ${message}`);
}

/** Returns the restrictions of a key in one line, such as `read_only groups=tweet,user`. */
function restrictionsText(key: ReturnType<typeof viewOfRestrictions>): string {
  const { read_only: readOnly, groups, connections, ip_ranges, calls_per_minute, dollars_per_day, expires_at } = key;
  const lists = { groups, connections, ip_ranges };
  const given = Object.entries({ ...lists, calls_per_minute, dollars_per_day, expires_at }).filter(
    ([, value]) => value !== null,
  );
  return [...(readOnly ? ['read_only'] : []), ...given.map(([name, value]) => `${name}=${value}`)].join(' ');
}

export function viewOfKey(key: KeyRecord) {
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
