import { resolve } from 'node:path';
import { CommanderError } from 'commander';
import { ConfigError } from '../shared/config/config.ts';
import { printable } from '../shared/model/printable.ts';
import { type Failure, failures } from './exit-codes.ts';
import { CliError } from './print.ts';
import { makeProgram } from './program.ts';

const diskHints: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space',
  EROFS: 'The disk is mounted read-only: mount it so that it can be written, or choose another folder',
  EACCES: 'Check the owner and the mode of the folder',
  // Node's recursive mkdir throws ENOENT on a read-only disk too.
  ENOENT: 'Check that the folder above exists and is not on a disk that is mounted read-only',
};

/** Runs the command of `process.argv`, prints its error if it has one, and returns the exit code. */
export async function run(): Promise<number> {
  try {
    await makeProgram().parseAsync();
    return 0;
  } catch (error) {
    return report(error);
  }
}

/** Prints an error, unless commander has printed it, and returns the exit code. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : failures.usage.exitCode;
  // The message may contain text of a service or a setting, and so control characters.
  process.stderr.write(`${messageFor(error).split('\n').map(printable).join('\n')}\n`);
  return failures[classOf(error)].exitCode;
}

function classOf(error: unknown): Failure {
  if (error instanceof CliError) return error.failure;
  return error instanceof ConfigError ? 'usage' : 'failed';
}

function messageFor(error: unknown): string {
  if (error instanceof ConfigError) return `postern: these settings are wrong:\n  ${error.lines.join('\n  ')}`;
  if (error instanceof CliError) return `postern: ${error.message}`;
  if (isSystemError(error)) return `postern: ${systemErrorMessage(error)}`;
  return `postern: ${error instanceof Error ? error.message : String(error)}`;
}

/** Adds the name of the setting to a system error, which contains only the file or the address. */
function systemErrorMessage(error: NodeJS.ErrnoException & { port?: number }): string {
  if (error.code === 'EADDRINUSE') {
    return `port ${error.port} is taken. Stop the program that uses it, or choose another port: PORT=0 and SANDBOX_PORT=0 take any free port`;
  }
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? '')) {
    return `HOST is not an address of this machine: ${error.message}`;
  }
  if (error.path !== undefined || error.code === 'ENOSPC') {
    const hint = diskHints[error.code ?? ''];
    const subject = isOfDataDir(error.path) ? 'DATA_DIR' : 'the file or folder';
    return `${subject} cannot be used: ${error.message}${hint === undefined ? '' : `. ${hint}`}`;
  }
  return error.message;
}

/** Returns true if the path is in DATA_DIR or above it. An error without a path means that the disk of DATA_DIR is full. */
function isOfDataDir(path: string | undefined): boolean {
  if (path === undefined) return true;
  const [given, dataDir] = [`${resolve(path)}/`, `${resolve(process.env['DATA_DIR'] || 'data')}/`];
  return given.startsWith(dataDir) || dataDir.startsWith(given);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { port?: number } {
  return error instanceof Error && 'code' in error;
}
