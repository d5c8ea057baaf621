import type { GraphQLField } from 'graphql';
import type { Action } from '../../../actions/action.ts';
import type { Caller } from '../../../actions/pipeline/action-pipeline.ts';

/**
 * Names the kind of data that an object was made from. It determines which fields of the object are known without a call (see
 * `fromProfileUnless` in `schema/user.ts`).
 */
export type UserView = 'author' | 'card' | 'profile' | 'tweet' | 'quoted' | 'article';

export type Args = Readonly<Record<string, unknown>>;

/** The parts of tweets and users that a platform may bill. */
export type Needs = NonNullable<Caller['needs']>;

/**
 * The calls that a field causes and the size of its value. A field declares them next to its resolver. The quote is computed from these
 * declarations.
 */
export interface FieldCost {
  /** The action that runs once for each parent object, unless another property of this cost makes the call unnecessary. */
  readonly action?: Action;
  /** Views of the parent object that already contain the field, so that no call is needed. */
  readonly carriedBy?: readonly UserView[];
  /** Subfields that can be returned without a call. */
  readonly known?: readonly string[];
  /** True if several fields of one object share one call. */
  readonly shared?: boolean;
  /** Returns the maximum number of items of the field's list. */
  readonly size?: (args: Args) => number;
  /** The size of a typical value in bytes, if the default of the type does not fit. For text that may be very long, the maximum size. */
  readonly bytes?: number;
  /** The view that the field's objects are made from. The default is the parent's view. */
  readonly view?: UserView;
  /** Returns the action's input, if the field's arguments determine it. This input is checked before credit is reserved. */
  readonly input?: (args: Args) => Record<string, unknown>;
  readonly paged?: boolean;
  /** The part of the parent object that contains the field. */
  readonly needs?: keyof Needs;
  /** Returns the objects that the arguments identify. Only for fields whose type is an interface. */
  readonly objects?: (args: Args) => readonly NamedObject[];
}

/** An object identified by a global id. */
export interface NamedObject {
  readonly type: string;
  readonly action: Action | null;
  readonly input: Record<string, unknown>;
  readonly view?: UserView;
  /** True if all objects of this type that the arguments identify share one call. */
  readonly shared?: boolean;
}

export function costs(cost: FieldCost): { extensions: { postern: FieldCost } } {
  return { extensions: { postern: cost } };
}

export function costOf(field: GraphQLField<unknown, unknown>): FieldCost | undefined {
  return field.extensions['postern'] as FieldCost | undefined;
}
