import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogFormat, LogLevel } from '../config/settings.ts';
import { prettyFormatter } from './pretty.ts';

export type { Logger };

export interface LoggerOptions {
  level: LogLevel;
  format: LogFormat;
}

/** Writes to standard error, because standard output belongs to what people asked for. */
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

/** How lines look in a format on this standard error. */
export function appearanceOf(format: LogFormat, stderr: Stderr): 'json' | 'plain' | 'coloured' {
  if (format === 'json' || (format === 'auto' && !stderr.isTTY)) return 'json';
  return stderr.isTTY && stderr.hasColors?.() ? 'coloured' : 'plain';
}

/**
 * JSON lines are gathered for a tenth of a second at the most, since a write for each would cost a search its twelfth; pino writes
 * the last ones at exit. Lines for people are written at once.
 */
function destinationOf(format: LogFormat): DestinationStream {
  const appearance = appearanceOf(format, process.stderr);
  if (appearance === 'json') return pino.destination({ dest: 2, sync: false, minLength: 4_096, periodicFlush: 100 });
  const out = pino.destination({ dest: 2, sync: true });
  const pretty = prettyFormatter(appearance === 'coloured');
  return { write: (line) => void out.write(pretty(line)) };
}
