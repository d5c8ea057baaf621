/** Writes the result of a command to standard output: one line of JSON for programs, or text for people. */
export function print(asJson: boolean | undefined, value: unknown, text: string): void {
  process.stdout.write(`${asJson ? JSON.stringify(value) : text}\n`);
}

/** Returns a table with columns of equal width and no frame, so that ordinary tools can cut it. */
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

/** An error that the user of the command line can correct. Its message says how. */
export class CliError extends Error {
  override readonly name = 'CliError';
}
