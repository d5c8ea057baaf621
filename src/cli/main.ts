import { Command } from 'commander';
import { ConfigError } from '../shared/config/config.ts';
import { settings } from '../shared/config/settings.ts';
import { version } from '../shared/version.ts';
import { accountCommand } from './account-command.ts';
import { doctorCommand } from './doctor-command.ts';
import { keyCommand } from './key-command.ts';
import { listenCommand } from './listen-command.ts';
import { CliError } from './print.ts';
import { sandboxCommand } from './sandbox-command.ts';
import { secretKeyCommand } from './secret-key-command.ts';
import { serveCommand } from './serve-command.ts';

const program = new Command('postern')
  .description('A gateway to a social platform, with a sandbox platform built in.')
  .version(version)
  .addCommand(serveCommand())
  .addCommand(sandboxCommand())
  .addCommand(accountCommand())
  .addCommand(keyCommand())
  .addCommand(secretKeyCommand())
  .addCommand(listenCommand())
  .addCommand(doctorCommand())
  .addHelpText('after', settingsHelp)
  .showHelpAfterError('(--help lists the arguments and options)');

const diskHints: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space',
  EROFS: 'The disk is mounted read-only: mount it so that it can be written, or choose another DATA_DIR',
  EACCES: 'Check the owner and the mode of the folder',
  // A recursive mkdir of Node also throws ENOENT on a read-only disk.
  ENOENT: 'Check that the folder above exists and is not on a disk that is mounted read-only',
};

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${messageFor(error)}\n`);
  process.exitCode = 1;
}

function messageFor(error: unknown): string {
  if (error instanceof ConfigError) return `postern: these settings are wrong:\n  ${error.lines.join('\n  ')}`;
  if (error instanceof CliError) return `postern: ${error.message}`;
  if (isSystemError(error)) return `postern: ${systemErrorMessage(error)}`;
  return `postern: ${error instanceof Error ? error.message : String(error)}`;
}

/** Errors of the system name files and addresses. The message names the setting that led there. */
function systemErrorMessage(error: NodeJS.ErrnoException & { port?: number }): string {
  if (error.code === 'EADDRINUSE') {
    return `port ${error.port} is taken. Stop the program that uses it, or choose another port: PORT=0 and SANDBOX_PORT=0 take any free port`;
  }
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? '')) {
    return `HOST is not an address of this machine: ${error.message}`;
  }
  if (error.path !== undefined || error.code === 'ENOSPC') {
    const hint = diskHints[error.code ?? ''];
    return `DATA_DIR cannot be used: ${error.message}${hint === undefined ? '' : `. ${hint}`}`;
  }
  return error.message;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { port?: number } {
  return error instanceof Error && 'code' in error;
}

/** Returns the list of settings at the end of `postern --help`. */
export function settingsHelp(): string {
  const width = Math.max(...Object.keys(settings).map((name) => name.length)) + 2;
  const lines = Object.entries(settings).map(
    ([name, { about, defaultText }]) =>
      `  ${name.padEnd(width)}${about}\n${' '.repeat(width + 2)}Default: ${defaultText}`,
  );
  return `\nSettings (environment variables):\n${lines.join('\n')}\n`;
}
