import { Command, Option } from 'commander';
import { settings } from '../shared/config/settings.ts';
import { version } from '../shared/version.ts';
import { accountCommand } from './account-command.ts';
import { backupCommand, restoreCommand } from './backup-command.ts';
import { callCommand } from './call-command.ts';
import { completeCommand, completionCommand } from './completion-command.ts';
import { connectCommand } from './connect-command.ts';
import { doctorCommand } from './doctor-command.ts';
import { keyCommand } from './key-command.ts';
import { listenCommand } from './listen-command.ts';
import { mcpCommand } from './mcp-command.ts';
import { CliError } from './print.ts';
import { sandboxCommand } from './sandbox-command.ts';
import { secretKeyCommand, secretsCommand } from './secrets-command.ts';
import { serveCommand } from './serve-command.ts';
import { triggerCommand } from './trigger-command.ts';
import { webhookCommand } from './webhook-command.ts';

const firstSteps = `
\`postern serve --help\` lists the settings. docs/cli.md describes the commands and their exit codes.
`;

/** Returns the command `postern`. Commands import what they need when they run, because most of them need little of the service. */
export function makeProgram(): Command {
  const program = new Command('postern')
    .description('A gateway to a social platform, with a sandbox platform built in.')
    .version(version)
    .commandsGroup('Use a gateway:')
    .addCommand(callCommand())
    .addCommand(connectCommand())
    .addCommand(webhookCommand())
    .addCommand(listenCommand())
    .addCommand(triggerCommand())
    .addCommand(mcpCommand())
    .commandsGroup('Run a gateway:')
    .addCommand(serveCommand().addHelpText('after', settingsHelp))
    .addCommand(sandboxCommand().addHelpText('after', settingsHelp))
    .addCommand(doctorCommand())
    .commandsGroup('Manage its data:')
    .addCommand(accountCommand())
    .addCommand(keyCommand())
    .addCommand(secretKeyCommand())
    .addCommand(secretsCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .commandsGroup('Other:')
    .addCommand(completionCommand())
    .addCommand(completeCommand(), { hidden: true })
    .addCommand(new Command('profile').argument('[words...]').allowUnknownOption().action(refuseProfiles), {
      hidden: true,
    })
    .helpCommand('help [command]', 'Show the help of a command')
    .addHelpText('after', firstSteps);
  for (const command of commandsOf(program)) {
    command
      .addOption(new Option('--profile <name>').argParser(refuseProfiles).hideHelp())
      .exitOverride()
      .showHelpAfterError('(--help lists the arguments and options)')
      .configureHelp({ subcommandTerm });
  }
  return program;
}

function refuseProfiles(): never {
  throw new CliError(
    'profiles were removed: keep POSTERN_URL, POSTERN_API_KEY and the other variables in a file (docs/cli.md, Credentials), and ' +
      'delete ~/.config/postern/profiles.json',
  );
}

/** Returns a command with the arguments that it requires. */
function subcommandTerm(command: Command): string {
  const required = command.registeredArguments.filter((argument) => argument.required);
  return [command.name(), ...required.map((argument) => `<${argument.name()}>`)].join(' ');
}

/** Returns a command and all commands below it. */
export function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)];
}

function settingsHelp(): string {
  const width = Math.max(...Object.keys(settings).map((name) => name.length)) + 2;
  const lines = Object.entries(settings).map(
    ([name, { about, defaultText }]) =>
      `  ${name.padEnd(width)}${about}\n${' '.repeat(width + 2)}Default: ${defaultText}`,
  );
  return `\nSettings (environment variables):\n${lines.join('\n')}\n`;
}
