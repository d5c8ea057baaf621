import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../config/settings.ts';

export type { Logger };

/**
 * JSON lines on standard error: standard output belongs to what people asked for. Lines are gathered for a tenth of a
 * second at the most, since a write for each would cost a search its twelfth; pino writes the last ones at exit.
 */
export function makeLogger(
  level: LogLevel,
  destination: DestinationStream = pino.destination({ dest: 2, sync: false, minLength: 4_096, periodicFlush: 100 }),
): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
