import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogFormat, LogLevel } from '../config/settings.ts';
import { prettyFormatter } from './pretty.ts';

export type { Logger };

export interface LoggerOptions {
  level: LogLevel;
  format: LogFormat;
  /** Returns fields that are added to each line. */
  fields?: (() => object) | undefined;
}

/** Creates the logger. It writes to standard error, because standard output is reserved for the results of commands. */
export function makeLogger(
  { level, format, fields }: LoggerOptions,
  destination: DestinationStream = destinationOf(format),
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      ...(fields && { mixin: fields }),
    },
    destination,
  );
}

interface Stderr {
  isTTY?: boolean;
  /** Respects NO_COLOR (https://nodejs.org/api/tty.html#writestreamhascolorscount-env). */
  hasColors?: () => boolean;
}

/** Determines how log lines are formatted for a log format and this standard error. */
export function appearanceOf(format: LogFormat, stderr: Stderr): 'json' | 'plain' | 'coloured' {
  if (format === 'json' || (format === 'auto' && !stderr.isTTY)) return 'json';
  return stderr.isTTY && stderr.hasColors?.() ? 'coloured' : 'plain';
}

/**
 * Creates the destination of the log. JSON lines are buffered for at most 100 ms, because writing each line separately would take 8 % of
 * the time of a search request. pino writes the remaining lines at exit. Pretty lines are written immediately.
 */
function destinationOf(format: LogFormat): DestinationStream {
  const appearance = appearanceOf(format, process.stderr);
  if (appearance === 'json') {
    return pino.destination({ dest: 2, sync: false, periodicFlush: 100, minLength: 4_096 });
  }
  const out = pino.destination({ dest: 2, sync: true });
  const pretty = prettyFormatter(appearance === 'coloured');
  return { write: (line) => void out.write(pretty(line)) };
}
