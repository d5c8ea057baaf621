import { ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { z } from 'zod';
import type { Action } from '../../../actions/action.ts';
import { type Args, costs } from '../document/cost.ts';
import type { Session } from '../execute/session.ts';
import { builder } from './builder.ts';
import { deprecationOf, describeInput, describeMutation } from './describe.ts';
import { type InputChoices, inputOf } from './inputs.ts';
import { capitalized } from './names.ts';
import { type ObjectChoices, objectOf } from './zod-types.ts';

type Types = typeof builder.$inferSchemaTypes;

interface MutationChoices<Shape extends z.core.$ZodShape> {
  /**
   * Differences between the input type and the action's input. `type` names the input type if its name does not follow from the mutation.
   */
  readonly input?: InputChoices & { readonly type?: string; readonly description?: string };
  /** Differences between the payload type and the action's output, or a payload type that is written by hand. */
  readonly payload?: (ObjectChoices<Shape> & { readonly type?: string }) | PayloadRef<Shape>;
}

type PayloadRef<Shape extends z.core.$ZodShape> = ObjectRef<Types, z.output<z.ZodObject<Shape>>>;

/** Declares a mutation that performs an action. Derives its input type and payload type from the action's schemas. */
export function mutation<Shape extends z.core.$ZodShape>(
  field: string,
  action: Action<z.ZodObject<Shape>>,
  { input: { type = `${capitalized(field)}Input`, ...inputChoices } = {}, payload = {} }: MutationChoices<Shape> = {},
): void {
  const input = inputOf(action, type, {
    description: describeInput(action, field, inputChoices.files),
    ...inputChoices,
  });
  // A document without an input remains valid if a first parameter is added.
  const required = !action.input.safeParse({}).success;
  const toInput = (args: Args) => input?.toInput((args['input'] ?? {}) as Args) ?? {};
  const ref = payload instanceof ObjectRef ? payload : payloadOf(field, action.output, payload);
  builder.mutationField(field, (t) =>
    t.field({
      type: ref as PayloadRef<Shape>,
      nullable: true,
      description: describeMutation(action),
      ...deprecationOf(action),
      args: input
        ? { input: t.arg({ type: input.ref, required, description: 'The parameters of the mutation.' }) }
        : {},
      ...costs({ action, input: toInput }),
      resolve: (_root: unknown, args: Args, session: Session, info: GraphQLResolveInfo) =>
        session.write(action, toInput(args), String(info.path.key)).catch((error) => {
          throw input ? input.rename(error) : error;
        }) as never,
    }),
  );
}

/** Created payload types by name, because several mutations may share a payload type. */
const payloadTypes = new Map<string, unknown>();

function payloadOf<Shape extends z.core.$ZodShape>(
  field: string,
  output: z.ZodObject<Shape>,
  { type = `${capitalized(field)}Payload`, ...choices }: ObjectChoices<Shape> & { readonly type?: string },
): PayloadRef<Shape> {
  const ref =
    payloadTypes.get(type) ?? objectOf(type, output, { description: `The result of \`${field}\`.`, ...choices });
  payloadTypes.set(type, ref);
  return ref as PayloadRef<Shape>;
}
