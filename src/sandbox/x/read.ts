import type { Dataset } from '../dataset/dataset.ts';
import { compareIds } from '../dataset/snowflake.ts';
import type { Post } from '../dataset/timelines.ts';
import type { User } from '../dataset/types.ts';
import type { XOperation } from '../http/operation.ts';
import type { SandboxResponse } from '../http/response.ts';
import { Refusal } from '../refusal.ts';
import { type Answer, render } from './answer.ts';
import { type PagedCall, type Placed, pageOf, paging, type Sizes, sizeOf } from './paging.ts';
import { appOnlyRefused, type ResourceProblem } from './problems.ts';
import { checkNames, isExtended, pathValues, valuesOf } from './request.ts';
import { type Kind, type Selection, selectionOf, selectionParameters } from './selection.ts';

/** A call of a read with fields and expansions. */
export interface ReadCall extends PagedCall {
  readonly dataset: Dataset;
  /** The id or the name in the path. */
  readonly subject: string;
  readonly selection: Selection;
}

interface Declared {
  /** The query parameters besides fields and expansions. */
  readonly query?: readonly string[];
  /** True if the operation refuses app-only tokens. */
  readonly userOnly?: boolean;
  run(call: ReadCall): Answer | SandboxResponse;
}

/**
 * Declares a read. `id` is the operationId in X's OpenAPI document. The path has `{id}` or `{username}` for the subject.
 */
export function read(
  of: Kind,
  id: string,
  path: string,
  { query: own = [], userOnly = false, run }: Declared,
): XOperation {
  const known = [...own, ...selectionParameters[of]];
  return {
    id,
    method: 'GET',
    path,
    access: 'x',
    handle(call) {
      const { platform: state, query, viewer } = call;
      if (viewer === null && userOnly) throw appOnlyRefused();
      checkNames(query.keys(), known);
      const selection = selectionOf(query, of, isExtended(call));
      const [subject = ''] = pathValues(call);
      const { dataset } = state;
      const answer = run({ operation: id, state, dataset, subject, query, viewer, selection });
      return 'body' in answer ? answer : render(dataset, viewer, selection, answer);
    },
  };
}

type Resource = ResourceProblem['resource'];

/** Returns the value of `find`, or the problem because of which there is none. */
function attempt<T>(
  resource: Resource,
  parameter: string,
  value: string,
  find: () => T,
): { found: T } | ResourceProblem {
  try {
    return { found: find() };
  } catch (refusal) {
    if (refusal instanceof Refusal && refusal.reason !== 'bad_request') return { refusal, resource, parameter, value };
    throw refusal;
  }
}

type Find = (call: ReadCall, value: string) => User | Post;

/** Returns the object of the path. */
export function one(call: ReadCall, resource: Resource, parameter: string, find: Find): Answer {
  const result = attempt(resource, parameter, call.subject, () => find(call, call.subject));
  return 'found' in result ? { data: result.found } : { data: undefined, problems: [result] };
}

/** Returns the objects that a query parameter names. */
export function many(call: ReadCall, resource: Resource, parameter: string, form: RegExp, find: Find) {
  const values = valuesOf(call, parameter, form);
  const results = values.map((value) => attempt(resource, parameter, value, () => find(call, value)));
  return {
    data: results.flatMap((result) => ('found' in result ? [result.found] : [])),
    problems: results.flatMap((result) => ('found' in result ? [] : [result])),
  };
}

/** The items of a list after a position, before they are filtered. */
export interface Source<Item> {
  /** What the tokens of the list belong to. Default: the id in the path. */
  readonly key?: string;
  readonly owner?: User;
  readonly after: (position: string | undefined) => Iterable<Placed<Item>>;
  readonly shown?: (item: Item) => boolean;
}

export interface DeclaredList<Item> extends Omit<Declared, 'run'> {
  readonly sizes: Sizes;
  /** The part of `meta` that the list lacks. */
  readonly lacks?: 'result_count' | 'previous_token';
  from(call: ReadCall): Source<Item>;
}

const resources: Readonly<Record<string, Resource>> = { users: 'user', tweets: 'tweet', lists: 'list' };
export const range = ['start_time', 'end_time', 'since_id', 'until_id'];

/** Declares a list. */
export function list<Item extends User | Post>(
  of: Kind,
  id: string,
  path: string,
  { from, lacks, sizes, query = [], ...declared }: DeclaredList<Item>,
): XOperation {
  const [, , collection = ''] = path.split('/');
  const resource = resources[collection] ?? 'user';
  const isTimeline = query.includes('since_id');
  return read(of, id, path, {
    ...declared,
    query: [...paging, ...query],
    run(call) {
      const size = sizeOf(call, sizes);
      const result = attempt(resource, 'id', call.subject, () => from(call));
      if (!('found' in result)) return { data: undefined, problems: [result] };
      const { owner, key = call.subject, after, shown } = result.found;
      const { items, tokens } = pageOf(call, key, size, after, shown);
      const ids = isTimeline ? items.map((item) => item.id).toSorted(compareIds) : [];
      const ends = ids.length > 0 && { newest_id: ids.at(-1), oldest_id: ids[0] };
      const meta = { result_count: items.length, ...ends, ...tokens, ...(lacks && { [lacks]: undefined }) };
      return { data: items, meta, ...(owner && { owner }) };
    },
  });
}
