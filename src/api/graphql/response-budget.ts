import { type FieldNode, GraphQLError, type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import { costOf } from './cost.ts';
import { errorsLimit } from './errors.ts';
import { tooLarge } from './respond.ts';
import { isList } from './response-size.ts';
import type { Session } from './session.ts';
import { TurnScheduler } from './turn-scheduler.ts';

/**
 * Replaces the errors of all fields beyond the maximum number of errors. All these fields share this one object, because graphql-js does
 * not copy an error that has a path.
 */
const oneTooMany = new GraphQLError('Too many errors', { path: [] });

/** Limits the parts of one response whose size is unknown before they are resolved: the items of unbounded lists, and the errors. */
export class ResponseBudget {
  readonly #limit: number;
  readonly #itemBytes: ReadonlyMap<FieldNode, number>;
  readonly #pace = new TurnScheduler();
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

  /** Returns the items of a list. Some of the items may be promises, so that a long list is resolved in slices. */
  spread(items: readonly unknown[], node: FieldNode | undefined): readonly unknown[] {
    return this.#pace.spread(items, this.#bytesOf(node));
  }

  /** Returns one item, or a promise of it if the current slice is full. */
  when(item: unknown, node: FieldNode | undefined): unknown {
    return this.#pace.when(item, this.#bytesOf(node));
  }

  /** Counts the items of a list. Throws `too_costly` when all lists together are too large. */
  count(items: readonly unknown[], node: FieldNode | undefined): void {
    this.#bytes += items.length * this.#bytesOf(node);
    if (this.#bytes > this.#limit) throw tooLarge(this.#limit);
  }

  /** Counts a failed field. Returns the error to throw. */
  failure(error: unknown): unknown {
    return ++this.#failures > errorsLimit ? oneTooMany : error;
  }

  #bytesOf(node: FieldNode | undefined): number {
    return (node && this.#itemBytes.get(node)) ?? 0;
  }
}

/**
 * Wraps the resolvers of lists and of fields that can fail. Lists are resolved in slices, and failed fields are counted. The items of a
 * list are counted too, except in connections, whose arguments bound the number of items. The number of hashtags of a tweet, for example,
 * is known only to the platform.
 */
export function boundResponses(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__') || type === schema.getMutationType()) continue;
    for (const field of Object.values(type.getFields())) {
      const { objects, action } = costOf(field) ?? {};
      if (action || objects) countFailures(field);
      if (isList(field)) spreadItems(field, !type.name.endsWith('Connection'));
    }
  }
  return schema;
}

type Field = GraphQLField<unknown, Session>;

function spreadItems(field: Field, isCounted: boolean): void {
  const { resolve } = field;
  if (!resolve) return;
  field.resolve = (parent, args, session, info) => {
    const [node] = info.fieldNodes;
    const spread = (items: unknown) => {
      if (!Array.isArray(items)) return items;
      const { budget } = session;
      if (isCounted) budget.count(items, node);
      // Items that share a read would all resolve in the same turn, so each item is delayed after the read has finished.
      const wait = (item: unknown) => (item instanceof Promise ? item.then((value) => budget.when(value, node)) : item);
      return budget.spread(items.some((item) => item instanceof Promise) ? items.map(wait) : items, node);
    };
    const items: unknown = resolve(parent, args, session, info);
    return items instanceof Promise ? items.then(spread) : spread(items);
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
