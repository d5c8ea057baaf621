import { type GraphQLResolveInfo, getNamedType, isObjectType } from 'graphql';
import type { z } from 'zod';
import type { Action } from '../../../actions/action.ts';
import { pageInput } from '../../../shared/model/page.ts';
import { type Args, costs, type Needs, type UserView } from '../document/cost.ts';
import { selectedFields, selectsOnly } from '../document/selection.ts';
import type { Session } from '../execute/session.ts';
import { builder } from './builder.ts';
import { Connection } from './connection.ts';
import { deprecationOf, describeCall } from './describe.ts';
import { argsOf } from './inputs.ts';
import { schemaDescription } from './zod-types.ts';

type Input = Record<string, unknown>;

interface Call<Parent> {
  /** Returns the action's input from the parent object. If omitted, the field has the action's input as arguments. */
  input?: (parent: Parent) => Input;
  /** GraphQL names of arguments, if they do not follow from the action's input. */
  names?: Readonly<Record<string, string>>;
  /** The first sentence of the description. The default is the action's summary. */
  about?: string;
  view?: UserView;
  needs?: keyof Needs;
}

interface ObjectCall<Parent, Output extends z.ZodType, Source> extends Call<Parent> {
  action: Action<Output>;
  /** Converts the action's output to the object of the field. The default returns the output itself. */
  read?: (output: z.output<Output>, session: Session) => Source;
  /** Returns the number of items in lists of the object. */
  size?: (args: Args) => number;
  /** Returns the object without a call if only the `known` subfields are selected. `source` returns `null` if there is no object. */
  atHand?: { known: readonly string[]; source: (parent: Parent) => Source | null };
}

/** Declares a field that is resolved by one action, with its arguments, description, resolver and cost. */
export function oneCall<Parent, Output extends z.ZodType, Source = z.output<Output>>(
  call: ObjectCall<Parent, Output, Source>,
) {
  const { action, read = (output) => output as Source, names, about, view, needs, size, atHand } = call;
  const { args, toInput, rename } = argsOf(
    action,
    call.input ? { omit: Object.keys(action.input.shape) } : { ...(names && { names }) },
  );
  const inputOf = (parent: Parent, given: Args): Input => call.input?.(parent) ?? toInput(given);
  return {
    nullable: true as const,
    description: describeCall(action, { about, known: atHand?.known }),
    ...deprecationOf(action),
    args,
    ...costs({
      action,
      input: (given: Args) => inputOf({} as Parent, given),
      ...(view && { view }),
      ...(needs && { needs }),
      ...(size && { size }),
      ...(atHand && { known: atHand.known }),
    }),
    // Not an async function, because an object at hand needs no promise.
    resolve: (parent: Parent, given: Args, session: Session, info: GraphQLResolveInfo) => {
      if (atHand) {
        const source = atHand.source(parent);
        if (source === null || asksOnlyFor(atHand.known, info)) return source;
      }
      return session.read<z.output<Output>>(action, inputOf(parent, given)).then(
        (output) => read(output, session),
        (error) => {
          throw rename(error);
        },
      );
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
  first: t.int({ defaultValue: defaultFirst, description: schemaDescription(pageInput.count) }),
  after: t.string({ description: 'The list continues after this cursor. Omit it for the first page.' }),
}));

/** The paging fields of an action's input. In GraphQL, `pageArgs` replaces them. */
const pageFields = ['count', 'cursor', 'cursor_id', 'graph_snapshot_id'];

interface ListCall<Parent> extends Call<Parent> {
  action: Action;
  /** The name of the field of the action's output that contains the items, such as `followers`. */
  items: string;
}

/** Declares a connection field. Each page costs one call of the action. */
export function listCall<Parent>(call: ListCall<Parent>) {
  const { action, items, about, view } = call;
  const fields = call.input ? Object.keys(action.input.shape) : pageFields;
  const { args, toInput } = argsOf(action, { omit: fields });
  const inputOf = (parent: Parent, given: Args): Input => {
    const { first, after } = given;
    const input = { count: first ?? defaultFirst, ...(call.input?.(parent) ?? toInput(given)) };
    return after == null ? input : { cursor: after, ...input };
  };
  return {
    nullable: true as const,
    description: describeCall(action, { about }),
    ...deprecationOf(action),
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
      if (view === 'tweet') session.noteTweets(page.output[items] as never[]);
      const first = given['first'] == null ? defaultFirst : Number(given['first']);
      // The cast is necessary because `items` can be the name of any output field.
      return new Connection(page, page.output[items] as never[], first, given['after'] != null);
    },
  };
}
