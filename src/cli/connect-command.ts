import { Command, Option } from 'commander';
import { accessHelp } from './access.ts';

export interface ConnectOptions {
  scopes?: string;
  reconnect?: string;
  list?: boolean;
  remove?: string;
  paste?: boolean;
  open: boolean;
  json?: boolean;
}

const others = ['scopes', 'reconnect', 'paste', 'open'];

const help = `
The command prints the address of a page on which the user signs in, opens it if there is a browser here, and waits. The page may be opened
on another machine that reaches the gateway. With --paste, only this machine must reach it.
On the AT Protocol the command asks for a handle and an app password instead, or reads them as two lines from standard input.
`;

export function connectCommand(): Command {
  return new Command('connect')
    .summary('Sign in a platform user for the calls')
    .description('Sign in a platform user, and print the id of the connection, which calls use as auth_token')
    .option('--scopes <scopes>', 'what to ask for, separated by commas; all but direct messages if left out')
    .option('--reconnect <id>', 'sign in again, with the same id and by default the same scopes')
    .option('--paste', 'for machines without a browser: paste the address at which the browser of another one ends')
    .option('--no-open', 'print the address only, even if there is a browser')
    .addOption(new Option('--list', 'list the connections of the account').conflicts([...others, 'remove']))
    .addOption(new Option('--remove <id>', 'delete a connection, and revoke its login').conflicts(others))
    .option('--json', 'print the connection as JSON on one line; with --list, each on a line')
    .addHelpText('after', help + accessHelp)
    .action(async ({ list, remove, json = false, ...options }: ConnectOptions) => {
      if (!list && remove === undefined) {
        const { connect } = await import('./connect.ts');
        return connect({ ...options, json });
      }
      const { call } = await import('./call/call.ts');
      if (remove === undefined) return call('connections/list', [], { json, all: true });
      return call('connections/delete', [`id=${remove}`], { json });
    });
}
