import { Command } from 'commander';
import { accessHelp } from './access.ts';

export interface CallOptions {
  json?: boolean;
  all?: boolean;
  limit?: string;
  as?: string;
  idempotencyKey?: string;
  help?: boolean;
}

export function callCommand(): Command {
  return withPages(withCallOptions(new Command('call')))
    .description('Call any action of the API. Without an action, lists all; with --help, describes the action')
    .summary('Call any action of the API')
    .argument('[action]', 'name of the action, such as tweet/advanced_search')
    .argument(
      '[fields...]',
      'name=value, or name@file for the content of a file; a list has commas, or a field for each item',
    )
    .helpOption(false)
    .option('-h, --help', 'describe the action: its fields, its price and an example')
    .action(async (action: string | undefined, fields: readonly string[], options: CallOptions, command: Command) => {
      if (action === undefined || options.help) return describe(action, command);
      const { call } = await import('./call/call.ts');
      await call(action, fields, options);
    });
}

/** Adds the options of every command that calls an action. */
export function withCallOptions(command: Command): Command {
  return command
    .option('--json', 'print the result as JSON on one line')
    .option('--as <userName>', 'act as this demo account of the sandbox in this folder')
    .option('--idempotency-key <key>', 'a write that is repeated with the same key is performed once');
}

/** Adds the options of commands that read lists. */
export function withPages(command: Command): Command {
  return command
    .option('--all', 'print the items of all pages; each page is charged. With --json, each item on a line')
    .option('--limit <number>', 'print the items of as many pages as needed');
}

/** Prints the help of the command, then all actions or the given one. */
async function describe(name: string | undefined, command: Command): Promise<void> {
  const [{ describeAction, describeActions }, { actions }] = await Promise.all([
    import('./call/describe-action.ts'),
    import('../actions/registry.ts'),
  ]);
  if (name !== undefined) {
    const { findAction } = await import('./call/call.ts');
    process.stdout.write(`${describeAction(findAction(name))}\n`);
  } else {
    process.stdout.write(`${command.helpInformation()}${accessHelp}\n${describeActions(actions)}\n`);
  }
}
