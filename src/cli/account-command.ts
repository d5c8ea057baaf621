import { Command } from 'commander';
import { formatDollars, type Micros, parseDollars } from '../shared/model/money.ts';
import { formatIsoTime } from '../shared/model/time.ts';
import { CliError, print, table } from './print.ts';
import { withAdmin } from './with-admin.ts';

export function accountCommand(): Command {
  const account = new Command('account').description('API accounts: who pays');
  account
    .command('create')
    .description('Make an account')
    .requiredOption('--name <name>', 'what people call it')
    .option('--credits <dollars>', 'credit to begin with', '0')
    .option('--json', 'answer { "id": … }')
    .action(async (options: { name: string; credits: string; json?: boolean }) => {
      if (options.name.trim() === '') throw new CliError('the name must not be empty');
      const credit = readDollars(options.credits);
      const id = await withAdmin((admin) => admin.createAccount(options.name, credit));
      print(options.json, { id }, `${id}\nNext: npx postern key create --account ${id}`);
    });
  account
    .command('list')
    .description('All accounts, with what they have left')
    .option('--json', 'answer an array')
    .action(async (options: { json?: boolean }) => {
      const accounts = (await withAdmin((admin) => admin.listAccounts())).map((record) => ({
        id: record.id,
        name: record.name,
        balance: formatDollars(record.avail),
        held: formatDollars(record.held),
        charged: formatDollars(record.charged),
        rate_limit: record.rateLimit,
        created_at: formatIsoTime(record.createdAt),
      }));
      const rows = accounts.map((a) => [
        ...[a.id, a.name, a.balance, a.held, a.charged],
        ...[describeLimit(a.rate_limit), a.created_at],
      ]);
      print(options.json, accounts, table(['ID', 'NAME', 'BALANCE', 'HELD', 'CHARGED', 'LIMIT', 'CREATED'], rows));
    });
  account
    .command('credit')
    .description('Pay credit in')
    .argument('<id>', 'the account')
    .argument('<dollars>', 'how much, such as 5 or 0.25')
    .option('--description <text>', 'for the list of payments', 'Credit')
    .option('--json', 'answer { "id": … }, the id of the payment')
    .action(async (account: string, dollars: string, options: { description: string; json?: boolean }) => {
      const micros = readDollars(dollars);
      if (micros === 0) throw new CliError('the amount must be more than 0');
      const id = await withAdmin((admin) => admin.credit(account, micros, options.description));
      print(options.json, { id }, `Paid ${formatDollars(micros)} dollars in (${id})`);
    });
  account
    .command('limit')
    .description('Set how many calls a minute each of its keys may make; a running service follows within 5 s')
    .argument('<id>', 'the account')
    .argument('<calls-per-minute>', "a whole number, or `default` for the service's RATE_LIMIT")
    .option('--json', 'answer { "id": …, "rate_limit": … }')
    .action(async (account: string, limit: string, options: { json?: boolean }) => {
      const rateLimit = readLimit(limit);
      await withAdmin((admin) => admin.setRateLimit(account, rateLimit));
      const text = `The limit of ${account} is now ${describeLimit(rateLimit)}`;
      print(options.json, { id: account, rate_limit: rateLimit }, text);
    });
  return account;
}

/** Calls a minute; `null` for the service's own limit. No account is without one: so much only RATE_LIMIT may grant. */
function readLimit(text: string): number | null {
  if (text === 'default') return null;
  const limit = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (limit >= 1 && limit <= 1_000_000_000) return limit;
  throw new CliError(`"${text}" is not a limit: calls a minute, a whole number from 1 on, or default`);
}

function describeLimit(limit: number | null): string {
  return limit === null ? 'default' : String(limit);
}

function readDollars(text: string): Micros {
  const micros = parseDollars(text);
  if (micros === null) {
    throw new CliError(`"${text}" is not an amount of dollars: digits with up to six decimals, such as 5 or 0.25`);
  }
  return micros;
}
