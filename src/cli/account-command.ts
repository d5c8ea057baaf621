import { Command } from 'commander';
import { commandName } from '../shared/config/command-name.ts';
import { formatDollars, type Micros, parseDollars } from '../shared/model/money.ts';
import { formatIsoTime } from '../shared/model/time.ts';
import type { AccountRecord, Balance } from '../store/port.ts';
import { deleteAccountCommand, exportAccountCommand } from './account-data-command.ts';
import { viewOfKey } from './key-command.ts';
import { CliError, print, table } from './print.ts';
import { withAdmin } from './with-admin.ts';

export function accountCommand(): Command {
  const account = new Command('account').description('Create, show and rename API accounts, add credit, set limits');
  account
    .command('create')
    .description('Create an account')
    .requiredOption('--name <name>', 'name of the account')
    .option('--credits <dollars>', 'credit at the start', '0')
    .option('--json', 'print { "id": … }')
    .action(async (options: { name: string; credits: string; json?: boolean }) => {
      requireName(options.name);
      const credit = readDollars(options.credits);
      const id = await withAdmin((admin) => admin.createAccount(options.name, credit));
      print(options.json, { id }, id, `Next: ${commandName} key create --account ${id}`);
    });
  account
    .command('list')
    .description('List all accounts with their credit')
    .option('--json', 'print an array')
    .action(async (options: { json?: boolean }) => {
      const accounts = (await withAdmin((admin) => admin.listAccounts())).map(viewOfAccount);
      const rows = accounts.map((a) => [
        ...[a.id, a.deleted_at === null ? a.name : '(deleted)', a.balance, a.held, a.charged],
        ...[describeLimit(a.rate_limit), a.created_at],
      ]);
      print(options.json, accounts, table(['ID', 'NAME', 'BALANCE', 'HELD', 'CHARGED', 'LIMIT', 'CREATED'], rows));
    });
  account
    .command('show')
    .description('Show an account with its credit and its keys')
    .argument('<id>', 'id of the account')
    .option('--json', 'print an object')
    .action(async (id: string, options: { json?: boolean }) => {
      const shown = await withAdmin(async (admin) => {
        await admin.find(id);
        const accounts = (await admin.listAccounts()).map(viewOfAccount);
        const keys = (await admin.listKeys(id)).map(viewOfKey);
        return { ...accounts.find((account) => account.id === id), api_keys: keys };
      });
      const { describeResult } = await import('./call/describe-result.ts');
      print(options.json, shown, describeResult(shown));
    });
  account
    .command('rename')
    .description('Change the name of an account')
    .argument('<id>', 'id of the account')
    .argument('<name>', 'the new name')
    .option('--json', 'print { "id": …, "name": … }')
    .action(async (id: string, name: string, options: { json?: boolean }) => {
      requireName(name);
      await withAdmin((admin) => admin.rename(id, name));
      print(options.json, { id, name }, `${id} is now called ${name}`);
    });
  account
    .command('credit')
    .description('Add credit')
    .argument('<id>', 'id of the account')
    .argument('<dollars>', 'amount, such as 5 or 0.25')
    .option('--description <text>', 'text for the list of payments', 'Credit')
    .option('--json', 'print { "id": … }, the id of the payment')
    .action(async (account: string, dollars: string, options: { description: string; json?: boolean }) => {
      const micros = readDollars(dollars);
      if (micros === 0) throw new CliError('the amount must be more than 0');
      const id = await withAdmin((admin) => admin.credit(account, micros, options.description));
      print(options.json, { id }, `Added ${formatDollars(micros)} dollars (${id})`);
    });
  account
    .command('limit')
    .description('Set the calls a minute for each key of an account. A running service uses the new limit within 5 s')
    .argument('<id>', 'id of the account')
    .argument('<calls-per-minute>', "a whole number, or `default` for the service's RATE_LIMIT")
    .option('--json', 'print { "id": …, "rate_limit": … }')
    .action(async (account: string, limit: string, options: { json?: boolean }) => {
      const rateLimit = readLimit(limit);
      await withAdmin((admin) => admin.setRateLimit(account, rateLimit));
      const text = `The limit of ${account} is now ${describeLimit(rateLimit)}`;
      print(options.json, { id: account, rate_limit: rateLimit }, text);
    });
  return account.addCommand(exportAccountCommand()).addCommand(deleteAccountCommand());
}

function requireName(name: string): void {
  if (name.trim() === '') throw new CliError('the name must not be empty');
}

function viewOfAccount(record: AccountRecord & Balance) {
  return {
    id: record.id,
    name: record.name,
    balance: formatDollars(record.avail),
    held: formatDollars(record.held),
    charged: formatDollars(record.charged),
    rate_limit: record.rateLimit,
    created_at: formatIsoTime(record.createdAt),
    deleted_at: record.deletedAt === null ? null : formatIsoTime(record.deletedAt),
  };
}

/**
 * Parses calls per minute. Returns `null` for `default`, which means RATE_LIMIT. 0 is not accepted, because only RATE_LIMIT can disable
 * limits.
 */
function readLimit(text: string): number | null {
  if (text === 'default') return null;
  const limit = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (limit >= 1 && limit <= 1_000_000_000) return limit;
  throw new CliError(
    `"${text}" is not a valid limit: it must be a whole number of calls per minute from 1, or default`,
  );
}

function describeLimit(limit: number | null): string {
  return limit === null ? 'default' : String(limit);
}

function readDollars(text: string): Micros {
  const micros = parseDollars(text);
  if (micros === null) {
    throw new CliError(
      `"${text}" is not a valid amount of dollars: it must be digits with up to six decimals, such as 5 or 0.25`,
    );
  }
  return micros;
}
