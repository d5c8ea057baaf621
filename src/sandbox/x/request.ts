import { compareIds, snowflake } from '../dataset/snowflake.ts';
import type { Post } from '../dataset/timelines.ts';
import type { Call } from '../http/operation.ts';
import { badRequest } from '../refusal.ts';
import type { Placed } from './paging.ts';

export const idPattern = /^\d{1,19}$/;
export const namePattern = /^\w{1,15}$/;

export function checkValue(name: string, value: string, pattern: RegExp): string {
  if (!pattern.test(value)) throw badRequest(name, `The \`${name}\` value [${value.slice(0, 60)}] is not valid`);
  return value;
}

/** Returns the values of the path: names and ids, which may have another form. */
export function pathValues({ params }: Pick<Call, 'params'>, idForm = idPattern): string[] {
  const forms: Readonly<Record<string, RegExp>> = { username: namePattern, id: idForm };
  return Object.entries(params).map(([name, value]) => checkValue(name, value, forms[name] ?? idPattern));
}

/** Refuses unknown names, which X drops silently, and those that are given twice. */
export function checkNames(given: Iterable<string>, known: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of given) {
    if (!known.includes(name)) throw badRequest(name, `[${name}] is not one of [${known}]`);
    if (seen.has(name)) throw badRequest(name, `[${name}] is given twice`);
    seen.add(name);
  }
}

/** Returns true if the request asks for the extensions of the sandbox. */
export const isExtended = ({ headers }: Pick<Call, 'headers'>) => headers['x-sandbox-extensions'] === '1';

/** Reads a parameter with up to 100 ids or names. Each counts once. */
export function valuesOf({ query }: Pick<Call, 'query'>, name: string, pattern: RegExp): string[] {
  const values = query.get(name)?.split(',') ?? [];
  if (values.length === 0) throw badRequest(name, `The query parameter [${name}] is required`);
  if (values.length > 100) throw badRequest(name, `The number of values in [${name}] must be from 1 to 100`);
  return [...new Set(values.map((value) => checkValue(name, value, pattern)))];
}

/** An empty list has no `data`. */
export const dataOf = (items: readonly object[]) => (items.length > 0 ? { data: items } : {});

/** Returns the fields that a parameter selects; all if it is missing. */
export function pick(form: object, query: URLSearchParams, parameter: string, known: readonly string[]): object {
  const wanted = query.get(parameter)?.split(',') ?? known;
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown !== undefined) throw badRequest(parameter, `The \`${parameter}\` value [${unknown}] is unknown`);
  return Object.fromEntries(Object.entries(form).filter(([name]) => name === 'id' || wanted.includes(name)));
}

/** The ids of the posts that are asked for, from `least` up to `below`, which is excluded. */
interface IdRange {
  readonly least: string;
  readonly below: string | undefined;
}

/** Reads `since_id`, `until_id`, `start_time` (inclusive) and `end_time` (exclusive). Ids contain the time, so times are ids. */
function rangeOf(query: URLSearchParams, oldest: string): IdRange {
  const since = query.get('since_id');
  const until = query.get('until_id');
  const [start, end] = ['start_time', 'end_time'].map((name) => timeParameter(query, name));
  const lower = [oldest];
  if (since !== null) lower.push(String(BigInt(checkValue('since_id', since, idPattern)) + 1n));
  if (start !== undefined) lower.push(snowflake(start, 0));
  const upper: string[] = [];
  if (until !== null) upper.push(checkValue('until_id', until, idPattern));
  if (end !== undefined) upper.push(snowflake(end, 0));
  return { least: lower.toSorted(compareIds).at(-1) ?? oldest, below: upper.toSorted(compareIds)[0] };
}

/**
 * Reads the range of a query and returns a function that lists the posts of the range. `newestBelow` lists posts newest first,
 * below an id. `oldest` is the least id that may be asked for.
 */
export function inRange<T extends Post>(
  query: URLSearchParams,
  newestBelow: (id: string | undefined) => Iterable<Placed<T>>,
  oldest = '0',
) {
  const { least, below } = rangeOf(query, oldest);
  return function* (after: string | undefined): Generator<Placed<T>> {
    for (const placed of newestBelow(after ?? below)) {
      if (compareIds(placed[0].id, least) < 0) return;
      yield placed;
    }
  };
}

/** Reads a time such as `2026-11-26T10:00:00Z`, in milliseconds. */
export function timeParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const ms = Date.parse(checkValue(name, text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/));
  if (Number.isNaN(ms)) throw badRequest(name, `The \`${name}\` value [${text}] is not a time`);
  return ms;
}
