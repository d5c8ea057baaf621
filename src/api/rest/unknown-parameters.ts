import type { ServerResponse } from 'node:http';
import type { UnknownField } from '../../actions/input/input.ts';
import { fieldAt } from '../../shared/errors/fields.ts';
import { didYouMean } from '../../shared/errors/nearest.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { printable } from '../../shared/model/printable.ts';
import type { RestRequest } from './read-input.ts';

export interface UnknownParameter extends UnknownField {
  /** The place where the endpoint takes its parameters. Set if this parameter was sent elsewhere. */
  readonly place?: string;
}

/** The parameters that a message names, because a request may have thousands. */
const mostNamed = 3;
const longestName = 100;
const longestHeader = 2_000;

/**
 * Refuses unknown parameters, because the caller means something that would not happen. `Prefer: handling=lenient` (RFC 7240) leaves them
 * out and lists them in a header. `prepare` makes the other checks of the input. Throws `bad_input`, or `forbidden` by the restrictions of the key.
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

/** Returns the refusal, which is told together with a missing field, and after the restrictions of the key. */
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
  return printable(fieldAt(path).slice(0, longestName).toWellFormed());
}

function headerOf(unknown: readonly UnknownParameter[]): string {
  const names = unknown.map(({ path }) => shown(path).replaceAll(/[^\w.[\]-]/gu, encodeURIComponent));
  const list = names.join(', ');
  return list.length <= longestHeader ? list : `${list.slice(0, list.lastIndexOf(', ', longestHeader))}, ...`;
}

/** Returns true if the first preference `handling` is `lenient`. */
function prefersLenient(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const preferences = String(header).match(/(?:"[^"]*"|[^",])+/g) ?? [];
  const [first] = preferences.flatMap((each) => /^\s*handling\s*=\s*"?(\w*)/i.exec(each)?.[1] ?? []);
  return first?.toLowerCase() === 'lenient';
}
