import type { ServerResponse } from 'node:http';
import type { UnknownField } from '../../actions/input/input.ts';
import { fieldAt } from '../../shared/errors/fields.ts';
import { didYouMean } from '../../shared/errors/nearest.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { printable } from '../../shared/model/printable.ts';
import type { RestRequest } from './read-input.ts';

export interface UnknownParameter extends UnknownField {
  /** Where the endpoint accepts its parameters, for a hint. Only set if the parameter was sent elsewhere. */
  readonly place?: string;
}

/** The maximum number of parameters in a message, because a request can have thousands of them. */
const mostNamed = 3;
const longestName = 100;
const longestHeader = 2_000;

/**
 * Refuses unknown parameters, because ignoring them could surprise the caller. With `Prefer: handling=lenient`
 * (RFC 7240), they are listed in a response header instead. `prepare` runs the other input checks. Throws `bad_input`,
 * or `forbidden` if the key may not call the endpoint.
 */
export function checkUnknown(
  unknown: readonly UnknownParameter[],
  { message }: RestRequest,
  response: ServerResponse,
  prepare: () => unknown,
): void {
  if (prefersLenient(message.headers['prefer'])) {
    response.setHeader('preference-applied', 'handling=lenient');
    if (unknown.length > 0) response.setHeader('x-ignored-parameters', headerOf(unknown));
  } else if (unknown.length > 0) {
    throw refusalBefore(unknownParameter(unknown), prepare);
  }
}

/**
 * Returns the error for unknown parameters. Its message begins with a missing field if there is one. Throws `forbidden`
 * if the key may not call the endpoint, because permissions are checked first.
 */
function refusalBefore(refusal: PosternError, prepare: () => unknown): PosternError {
  try {
    prepare();
  } catch (thrown) {
    const { reason, code, message, field = '' } = asPosternError(thrown);
    if (code === 'forbidden') throw thrown;
    if (reason === 'missing_field') return new PosternError(reason, `${message}. ${refusal.message}`, { field });
  }
  return refusal;
}

/** Returns an error that names the parameters, the nearest known ones, and all known ones. */
export function unknownParameter(unknown: readonly UnknownParameter[]): PosternError {
  const sentences = unknown.slice(0, mostNamed).map(({ path, known, place }) => {
    const name = String(path.at(-1));
    const hint = place && known.includes(name) ? `: send it ${place}.` : didYouMean(name, known);
    return `Unknown parameter: ${shown(path)}${hint}`;
  });
  const [{ path, known } = { path: [], known: [] }] = unknown;
  if (unknown.length > mostNamed) sentences.push(`There are ${unknown.length - mostNamed} more.`);
  const level = path.length > 1 ? ` of ${shown(path.slice(0, -1))}` : '';
  const message = `${sentences.join(' ')} Known parameters${level}: ${known.join(', ')}`;
  return new PosternError('unknown_parameter', message, { field: shown(path) });
}

function shown(path: readonly PropertyKey[]): string {
  return printable(nameOf(path));
}

function nameOf(path: readonly PropertyKey[]): string {
  return fieldAt(path).slice(0, longestName).toWellFormed();
}

function headerOf(unknown: readonly UnknownParameter[]): string {
  // Each name takes at least two characters, so further names are beyond the limit.
  const names = unknown
    .slice(0, longestHeader)
    .map(({ path }) => nameOf(path).replaceAll(/[^\w.[\]-]/gu, encodeURIComponent));
  const list = names.join(', ');
  return list.length <= longestHeader ? list : `${list.slice(0, list.lastIndexOf(', ', longestHeader))}, ...`;
}

/** Returns true if the first `handling` preference is `lenient`. Later ones are ignored (RFC 7240, section 2). */
function prefersLenient(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const preferences = String(header).match(/(?:"[^"]*"|[^",])+/g) ?? [];
  const [first] = preferences.flatMap((each) => /^\s*handling\s*=\s*"?(\w*)/i.exec(each)?.[1] ?? []);
  return first?.toLowerCase() === 'lenient';
}
