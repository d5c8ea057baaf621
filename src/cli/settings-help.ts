import { settings } from '../config/settings.ts';

/** The settings, as `postern --help` ends. */
export function settingsHelp(): string {
  const lines = Object.entries(settings).map(
    ([name, { about, defaultText }]) => `  ${name.padEnd(21)}${about}\n${' '.repeat(23)}Default: ${defaultText}`,
  );
  return `\nSettings (environment variables):\n${lines.join('\n')}\n`;
}
