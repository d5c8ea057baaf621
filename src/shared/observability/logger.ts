import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogFormat, LogLevel } from '../config/settings.ts';
import { prettyFormatter } from './pretty.ts';

export type { Logger };

export interface LoggerOptions {
  level: LogLevel;
  format: LogFormat;
}

/** Writes the log to standard error, because standard output is for the results of commands. */
export function makeLogger(
  { level, format }: LoggerOptions,
  destination: DestinationStream = destinationOf(format),
): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

interface Stderr {
  isTTY?: boolean;
  /** Respects NO_COLOR (https://nodejs.org/api/tty.html#writestreamhascolorscount-env). */
  hasColors?: () => boolean;
}

/** Returns the form of the lines for a log format on this standard error. */
export function appearanceOf(format: LogFormat, stderr: Stderr): 'json' | 'plain' | 'coloured' {
  if (format === 'json' || (format === 'auto' && !stderr.isTTY)) return 'json';
  return stderr.isTTY && stderr.hasColors?.() ? 'coloured' : 'plain';
}

/**
 * Buffers JSON lines for at most a tenth of a second, because a write for each line would take a twelfth of the time of a search. pino
 * writes the last lines at exit. Pretty lines are written at once.
 */
function destinationOf(format: LogFormat): DestinationStream {
  const appearance = appearanceOf(format, process.stderr);
  if (appearance === 'json') return pino.destination({ dest: 2, sync: false, minLength: 4_096, periodicFlush: 100 });
  const out = pino.destination({ dest: 2, sync: true });
  const pretty = prettyFormatter(appearance === 'coloured');
  return { write: (line) => void out.write(pretty(line)) };
}
