/** Answers a command on standard output: one line of JSON for programs, or text for people. */
export function print(asJson: boolean | undefined, value: unknown, text: string): void {
  process.stdout.write(`${asJson ? JSON.stringify(value) : text}\n`);
}

/** Columns of equal width, without a frame, so that it can be cut with ordinary tools. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [header, ...rows].map(line).join('\n');
}

/** Something that the person at the command line can mend; its message says how. */
export class CliError extends Error {
  override readonly name = 'CliError';
}
