import { once } from 'node:events';
import { createWriteStream, existsSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { readConfig } from '../shared/config/config.ts';
import { formatDollars } from '../shared/model/money.ts';
import { printableJson } from '../shared/model/printable.ts';
import { systemRuntime } from '../shared/runtime/runtime.ts';
import type { AccountRecord } from '../store/port.ts';
import { CliError, print } from './print.ts';
import { explainNoAccount, withStore } from './with-admin.ts';

export function exportAccountCommand(): Command {
  return new Command('export')
    .description('Write all data of an account as JSON Lines, without secrets')
    .argument('<id>', 'id of the account')
    .argument('[path]', 'file to make; standard output if left out')
    .action(async (id: string, path: string | undefined) => {
      const { exportAccount } = await import('../main/account-export.ts');
      if (path !== undefined && existsSync(path)) throw new CliError(`${path} exists. Give a path that does not exist`);
      await explainNoAccount(() =>
        withStore((store) => {
          const lines = async function* () {
            for await (const line of exportAccount(store, readConfig(process.env), id))
              yield `${printableJson(JSON.stringify(line))}\n`;
          };
          return path === undefined ? pipeline(Readable.from(lines()), process.stdout) : writeNew(path, lines());
        }),
      );
    });
}

/** Writes a file that only its owner may read. Deletes it if the content is not complete, so that the command can be repeated. */
async function writeNew(path: string, lines: AsyncIterable<string>): Promise<void> {
  const output = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  // Fails if the file was made after the command began; that file is kept.
  await once(output, 'open');
  try {
    await pipeline(Readable.from(lines), output);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

export function deleteAccountCommand(): Command {
  return new Command('delete')
    .description('Delete the data of an account, except the amounts of money. If it is interrupted, repeat it')
    .argument('<id>', 'id of the account')
    .option('--yes', 'do not ask for the name of the account')
    .option('--json', 'print { "id": …, "balance": … }')
    .action(async (id: string, options: { yes?: boolean; json?: boolean }) => {
      const [{ demoAccountId }, { deleteAccount }] = await Promise.all([
        import('../api/demo/demo.ts'),
        import('../billing/account-deletion.ts'),
      ]);
      if (id === demoAccountId) throw new CliError('the demo account belongs to the sandbox and cannot be deleted');
      const left = await explainNoAccount(() =>
        withStore(async (store) => {
          const account = await store.accounts.find(id);
          if (account && account.deletedAt === null && !options.yes) await confirm(account);
          const onStep = (text: string) => void process.stderr.write(`${text}\n`);
          return deleteAccount(id, { store, runtime: systemRuntime, onStep });
        }),
      );
      const balance = formatDollars(left);
      print(options.json, { id, balance }, `Deleted ${id}. Its unused credit was ${balance} dollars`);
    });
}

async function confirm({ id, name }: AccountRecord): Promise<void> {
  const explanation = `this deletes the keys, webhooks, events and logs of ${id} for good`;
  if (!process.stdin.isTTY) throw new CliError(`${explanation}. Repeat the command with --yes`);
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const typed = await terminal.question(
      `${explanation[0]?.toUpperCase()}${explanation.slice(1)}.\nType its name to confirm: `,
    );
    if (typed !== name) throw new CliError('that is not the name of the account. Nothing was deleted');
  } finally {
    terminal.close();
  }
}
