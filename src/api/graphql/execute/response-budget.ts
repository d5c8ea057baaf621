import { type FieldNode, GraphQLError, type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import { costOf } from '../document/cost.ts';
import { isList } from '../document/quote.ts';
import { errorsLimit } from '../errors.ts';
import { tooLarge } from '../respond.ts';
import type { Session } from './session.ts';

/**
 * Replaces the errors of all fields beyond the maximum number of errors. All these fields share this one object, because graphql-js does
 * not copy an error that has a path.
 */
const oneTooMany = new GraphQLError('Too many errors', { path: [] });

/** Limits the parts of one response whose size is unknown before they are resolved: the items of unbounded lists, and the errors. */
export class ResponseBudget {
  readonly #limit: number;
  readonly #itemBytes: ReadonlyMap<FieldNode, number>;
  #bytes = 0;
  #failures = 0;

  constructor(limit: number, itemBytes: ReadonlyMap<FieldNode, number>) {
    this.#limit = limit;
    this.#itemBytes = itemBytes;
  }

  /** True after a list was refused because the response is too large. */
  get isOver(): boolean {
    return this.#bytes > this.#limit;
  }

  /** Counts the items of a list. Throws `too_costly` when all lists together are too large. */
  count(items: readonly unknown[], node: FieldNode | undefined): void {
    this.#bytes += items.length * ((node && this.#itemBytes.get(node)) ?? 0);
    if (this.isOver) throw tooLarge(this.#limit);
  }

  /** Counts a failed field. Returns the error to throw. */
  failure(error: unknown): unknown {
    return ++this.#failures > errorsLimit ? oneTooMany : error;
  }
}

/**
 * Wraps the resolvers of fields that can fail, whose errors are counted, and of lists, whose items are counted. Connections need no count,
 * because their arguments bound the number of items. The number of hashtags of a tweet, for example, is known only to the platform.
 */
export function boundResponses(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__') || type === schema.getMutationType()) continue;
    for (const field of Object.values(type.getFields())) {
      const { objects, action } = costOf(field) ?? {};
      if (action || objects) countFailures(field);
      if (isList(field) && !type.name.endsWith('Connection')) countItems(field);
    }
  }
  return schema;
}

type Field = GraphQLField<unknown, Session>;

function countItems(field: Field): void {
  const { resolve } = field;
  if (!resolve) return;
  field.resolve = (parent, args, session, info) => {
    const count = (items: unknown) => {
      if (Array.isArray(items)) session.budget.count(items, info.fieldNodes[0]);
      return items;
    };
    const items: unknown = resolve(parent, args, session, info);
    return items instanceof Promise ? items.then(count) : count(items);
  };
}

function countFailures(field: Field): void {
  const { resolve } = field;
  if (!resolve) return;
  field.resolve = (parent, args, session, info) => {
    const fail = (error: unknown) => {
      throw session.budget.failure(error);
    };
    // graphql-jit 0.8.9 has a bug: if the promise of an item is rejected, it adds an item to the list.
    const failItem = (error: unknown) => session.budget.failure(error);
    const counted = (value: unknown) =>
      Array.isArray(value) ? value.map((item) => (item instanceof Promise ? item.catch(failItem) : item)) : value;
    try {
      const value: unknown = resolve(parent, args, session, info);
      return value instanceof Promise ? value.then(counted, fail) : counted(value);
    } catch (error) {
      return fail(error);
    }
  };
}
