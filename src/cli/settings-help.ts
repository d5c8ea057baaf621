import { settings } from '../shared/config/settings.ts';

/** The settings, as `postern --help` ends. */
export function settingsHelp(): string {
  const width = Math.max(...Object.keys(settings).map((name) => name.length)) + 2;
  const lines = Object.entries(settings).map(
    ([name, { about, defaultText }]) =>
      `  ${name.padEnd(width)}${about}\n${' '.repeat(width + 2)}Default: ${defaultText}`,
  );
  return `\nSettings (environment variables):\n${lines.join('\n')}\n`;
}
