import { styleText } from 'node:util';
import { printable, printableJson } from '../shared/model/printable.ts';
import type { Failure } from './exit-codes.ts';

/**
 * Writes the result of a command to standard output, either as one line of JSON or as text. The note is for people: it goes to standard
 * error, so that scripts get the result only.
 */
export function print(asJson: boolean | undefined, value: unknown, text: string, note?: string): void {
  process.stdout.write(`${asJson ? printableJson(JSON.stringify(value)) : text}\n`);
  if (note !== undefined && !asJson) process.stderr.write(`${note}\n`);
}

/**
 * Formats a table with aligned columns and without a frame, so that standard tools can process it. Control characters are escaped, because
 * callers choose names.
 */
export function table(header: readonly string[], texts: readonly (readonly string[])[]): string {
  const rows = texts.map((row) => row.map(printable));
  const widths = header.map((title, column) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => padded(cell, widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [header, ...rows].map(line).join('\n');
}

/** Pads a text to a number of columns of a terminal. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

const wide = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}/u;

/** Returns how many columns a terminal needs for a text. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text.normalize('NFC'))
    width += /\p{M}|\u200d/u.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** Cuts a text to the columns of a terminal. */
export function fitted(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(cut + segment) >= columns) return `${cut}…`;
    cut += segment;
  }
  return cut;
}

interface Terminal {
  isTTY?: boolean;
  hasColors?: () => boolean;
}

/** Colours a text if the stream is a terminal with colours. Respects NO_COLOR. */
export function paint(style: Parameters<typeof styleText>[0], text: string, stream: Terminal = process.stdout): string {
  return stream.isTTY && stream.hasColors?.() ? styleText(style, text, { validateStream: false }) : text;
}

/** An error that the user of the command line can correct. Its message contains the advice. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly failure: Failure;

  constructor(message: string, failure: Failure = 'usage') {
    super(message);
    this.failure = failure;
  }
}
