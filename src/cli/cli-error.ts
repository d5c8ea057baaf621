/** Something that the person at the command line can mend; its message says how. */
export class CliError extends Error {
  override readonly name = 'CliError';
}
