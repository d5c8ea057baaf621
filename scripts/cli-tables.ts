import type { Command } from 'commander';
import { failures } from '../src/cli/exit-codes.ts';
import { commandsOf, makeProgram } from '../src/cli/program.ts';
import { code, table } from './markdown-table.ts';

/** Returns the printed sections of docs/cli.md: the commands and the exit codes. */
export function cliTables(): Record<string, string> {
  const rows = Object.values(failures).map(({ exitCode, about }) => [code(String(exitCode)), about]);
  const commands = commandsOf(makeProgram())
    .filter((command) => command.commands.length === 0 && isVisible(command))
    .map((command) => `- ${code(usageOf(command))}: ${[command.description(), ...ownOptions(command)].join('. ')}\n`);
  return {
    'exit-codes': table(['code', 'meaning'], [[code('0'), 'the command did what it was asked to do'], ...rows]),
    commands: commands.join(''),
  };
}

/** Options of many commands, which the page describes. */
const common = new Set(['--json', '--as', '--idempotency-key', '--all', '--limit', '--help']);

function isVisible(command: Command): boolean {
  const { parent } = command;
  return parent === null || parent.createHelp().visibleCommands(parent).includes(command);
}

const usageOf = (command: Command) => command.createHelp().commandUsage(command).replace(' [options]', '');

function ownOptions({ options }: Command): string[] {
  const own = options.filter(({ long, hidden }) => !hidden && !common.has(long ?? '')).map(({ flags }) => code(flags));
  return own.length === 0 ? [] : [own.join(', ')];
}
