import { type GraphQLResolveInfo, getNamedType, isObjectType } from 'graphql';
import type { z } from 'zod';
import type { Action } from '../../../actions/action.ts';
import { pageInput } from '../../../shared/model/page.ts';
import { Connection } from '../connection.ts';
import { type Args, costs, type UserView } from '../cost.ts';
import { selectedFields, selectsOnly } from '../selection.ts';
import type { Session } from '../session.ts';
import { builder } from './builder.ts';
import { describeCall } from './describe.ts';
import { argsOf } from './inputs.ts';
import { descriptionOf } from './zod-types.ts';

type Input = Record<string, unknown>;

interface Call<Parent> {
  /** The action's input, for a field that reads it from its object. Without it, the field takes the action's input as arguments. */
  input?: (parent: Parent) => Input;
  /** Names of arguments that do not follow from the action's input. */
  names?: Readonly<Record<string, string>>;
  /** The first sentence of the description; the action's summary if left out. */
  about?: string;
  view?: UserView;
}

interface ObjectCall<Parent, Output extends z.ZodType, Source> extends Call<Parent> {
  action: Action<Output>;
  /** The object of the field from the action's output; the output itself if left out. */
  read?: (output: z.output<Output>, session: Session) => Source;
  /** The object of the field without a call, for selections of the `known` fields. `null` if there is no object. */
  atHand?: { known: readonly string[]; source: (parent: Parent) => Source | null };
}

/** Declares a field that one action resolves: arguments, description, resolver and cost. */
export function oneCall<Parent, Output extends z.ZodType, Source = z.output<Output>>(
  call: ObjectCall<Parent, Output, Source>,
) {
  const { action, read = (output) => output as Source, names, about, view, atHand } = call;
  const { args, toInput, validate } = argsOf(
    action,
    call.input ? { omit: Object.keys(action.input.shape) } : { ...(names && { names }) },
  );
  const inputOf = (parent: Parent, given: Args): Input => call.input?.(parent) ?? toInput(given);
  return {
    nullable: true as const,
    description: describeCall(action, { about, known: atHand?.known }),
    args,
    ...(Object.keys(args).length > 0 && { validate }),
    ...costs({
      action,
      input: (given: Args) => inputOf({} as Parent, given),
      ...(view && { view }),
      ...(atHand && { known: atHand.known }),
    }),
    resolve: async (parent: Parent, given: Args, session: Session, info: GraphQLResolveInfo) => {
      if (atHand) {
        const source = atHand.source(parent);
        if (source === null || asksOnlyFor(atHand.known, info)) return source;
      }
      return read(await session.read<z.output<Output>>(action, inputOf(parent, given)), session);
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

const defaultFirst = pageInput.count.def.defaultValue as number;

const pageArgs = builder.args((t) => ({
  first: t.int({ defaultValue: defaultFirst, description: descriptionOf(pageInput.count) }),
  after: t.string({ description: 'The list continues after this cursor. Left out for the first page.' }),
}));

/** Fields of an action's input that page through a list. In GraphQL `pageArgs` replaces them. */
const pageFields = ['count', 'cursor', 'cursor_id', 'graph_snapshot_id'];

interface ListCall<Parent, Item, Source> extends Call<Parent> {
  action: Action;
  /** The action's name for its items, such as `followers`. */
  items: string;
  /** The object of an item; the item itself if left out. */
  read?: (item: Item) => Source;
}

/** Declares a connection field. Each page is one call of the action. */
export function listCall<Parent, Item, Source = Item>(call: ListCall<Parent, Item, Source>) {
  const { action, items, read = (item) => item as unknown as Source, about, view } = call;
  const fields = call.input ? Object.keys(action.input.shape) : pageFields;
  const { args, toInput } = argsOf(action, { omit: fields });
  const inputOf = (parent: Parent, given: Args): Input => {
    const { first, after } = given;
    const input = { ...(call.input?.(parent) ?? toInput(given)), count: first ?? defaultFirst };
    return after == null ? input : { ...input, cursor: after };
  };
  return {
    nullable: true as const,
    description: describeCall(action, { about }),
    // The action checks them: a check by the plugin would make every list wait for two more promises.
    args: { ...args, ...pageArgs },
    ...costs({
      action,
      paged: true,
      input: (given: Args) => inputOf({} as Parent, given),
      size: ({ first }: Args) => Math.min(100, Math.max(0, Number(first ?? defaultFirst))),
      ...(view && { view }),
    }),
    resolve: async (parent: Parent, given: Args, session: Session) => {
      const page = await session.edges(action, inputOf(parent, given));
      const first = given['first'] == null ? defaultFirst : Number(given['first']);
      return new Connection(page, (page.output[items] as Item[]).map(read), first, given['after'] != null);
    },
  };
}
