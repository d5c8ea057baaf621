import { type GraphQLResolveInfo, getNamedType, isObjectType } from 'graphql';
import type { Action } from '../../../actions/action.ts';
import { Connection } from '../connection.ts';
import { type Args, costs, type View } from '../cost.ts';
import { selectedFields, selectsOnly } from '../selection.ts';
import type { Session } from '../session.ts';
import { builder } from './builder.ts';

type Input = Record<string, unknown>;

interface ObjectCall<Parent, FieldArgs, Output, Source> {
  action: Action;
  input: (parent: Parent, args: FieldArgs) => Input;
  read: (output: Output, session: Session) => Source;
  view?: View;
  /** What is at hand without a call: for selections of the `known` fields it is enough. `null`: there is no object. */
  atHand?: { known: readonly string[]; source: (parent: Parent) => Source | null };
}

/** A field that one action answers: its resolver, and beside it what it costs. */
export function oneCall<Parent, FieldArgs, Output, Source>(call: ObjectCall<Parent, FieldArgs, Output, Source>) {
  const { action, input, read, view, atHand } = call;
  return {
    nullable: true as const,
    ...costs({
      action,
      input: (args: Args) => input({} as Parent, args as FieldArgs),
      ...(view && { view }),
      ...(atHand && { known: atHand.known }),
    }),
    resolve: async (parent: Parent, args: FieldArgs, session: Session, info: GraphQLResolveInfo) => {
      if (atHand) {
        const source = atHand.source(parent);
        if (source === null || asksOnlyFor(atHand.known, info)) return source;
      }
      return read(await session.read<Output>(action, input(parent, args)), session);
    },
  };
}

function asksOnlyFor(
  known: readonly string[],
  { schema, fragments, variableValues: variables, ...info }: GraphQLResolveInfo,
) {
  const type = getNamedType(info.returnType);
  const sets = info.fieldNodes.map((node) => node.selectionSet);
  return isObjectType(type) && selectsOnly(known, selectedFields(type, sets, { schema, fragments, variables }));
}

export const defaultFirst = 20;

export const pageArgs = builder.args((t) => ({
  // The action checks it: a check by the plugin would make every list wait for two more promises.
  first: t.int({ defaultValue: defaultFirst, description: 'At most so many items, 1 to 100.' }),
  after: t.string({ description: 'A cursor: what follows it. Left out for the first page.' }),
}));

export interface PageArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
}

interface ListCall<Parent, FieldArgs, Item, Source> {
  action: Action;
  /** What the action calls its items, such as `followers`. */
  items: string;
  input: (parent: Parent, args: FieldArgs) => Input;
  read: (item: Item) => Source;
  view?: View;
}

/** A list that one action answers page by page. */
export function listCall<Parent, Item, Source, FieldArgs extends PageArgs = PageArgs>(
  call: ListCall<Parent, FieldArgs, Item, Source>,
) {
  const { action, items, input, read, view } = call;
  const pageInputOf = (parent: Parent, args: FieldArgs): Input => ({
    ...input(parent, args),
    count: args.first ?? defaultFirst,
    ...given({ cursor: args.after }),
  });
  return {
    nullable: true as const,
    ...costs({
      action,
      paged: true,
      input: (args: Args) => pageInputOf({} as Parent, args as unknown as FieldArgs),
      size: ({ first }: Args) => Math.min(100, Math.max(0, Number(first ?? defaultFirst))),
      ...(view && { view }),
    }),
    resolve: async (parent: Parent, args: FieldArgs, session: Session) => {
      const page = await session.edges(action, pageInputOf(parent, args));
      const read_ = (page.output[items] as Item[]).map(read);
      return new Connection(page, read_, args.first ?? defaultFirst, args.after != null);
    },
  };
}

/** Only the arguments that were given: to the core `null` is a value, and a wrong one. */
export function given(args: Input): Input {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null && value !== undefined));
}
