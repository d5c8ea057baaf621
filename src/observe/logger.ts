import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../config/settings.ts';

export type { Logger };

/** JSON lines on standard error: standard output belongs to what people asked for. */
export function makeLogger(level: LogLevel, destination: DestinationStream = pino.destination(2)): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
