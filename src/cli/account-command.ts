import { Command } from 'commander';
import { formatDollars, type Micros, parseDollars } from '../model/money.ts';
import { formatIsoTime } from '../model/time.ts';
import { CliError } from './cli-error.ts';
import { print, table } from './print.ts';
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
        created_at: formatIsoTime(record.createdAt),
      }));
      const rows = accounts.map((a) => [a.id, a.name, a.balance, a.held, a.charged, a.created_at]);
      print(options.json, accounts, table(['ID', 'NAME', 'BALANCE', 'HELD', 'CHARGED', 'CREATED'], rows));
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
  return account;
}

function readDollars(text: string): Micros {
  const micros = parseDollars(text);
  if (micros === null) {
    throw new CliError(`"${text}" is not an amount of dollars: digits with up to six decimals, such as 5 or 0.25`);
  }
  return micros;
}
