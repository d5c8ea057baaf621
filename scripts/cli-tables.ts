import { failures } from '../src/cli/exit-codes.ts';
import { commandsOf, makeProgram } from '../src/cli/program.ts';
import { code, table } from './markdown-table.ts';

/** Returns the printed sections of docs/cli.md: the help of every command, and the exit codes. */
export function cliTables(): Record<string, string> {
  const rows = Object.values(failures).map(({ exitCode, about }) => [code(String(exitCode)), about]);
  const helps = commandsOf(makeProgram())
    .filter((command) => command.commands.length === 0 && command.name() !== 'complete')
    .map((command) => {
      command.configureOutput({ getOutHelpWidth: () => 120 });
      const [usage = '', ...rest] = command.helpInformation().trimEnd().split('\n');
      const name = usage.slice('Usage: '.length).split(/ [[<]/)[0];
      return `### ${name}\n\n\`\`\`text\n${[usage, ...rest].join('\n')}\n\`\`\`\n`;
    });
  return {
    'exit-codes': table(['code', 'meaning'], [[code('0'), 'the command did what it was asked to do'], ...rows]),
    commands: helps.join('\n'),
  };
}
