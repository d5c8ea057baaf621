import type { GraphQLField } from 'graphql';
import type { Action } from '../../actions/action.ts';

/** The data that an object is made from, if it decides which fields of the object are known (`user-source.ts`, for example). */
export type UserView = 'author' | 'card' | 'profile' | 'tweet' | 'quoted' | 'article';

export type Args = Readonly<Record<string, unknown>>;

/** The calls and the size of a field. The field declares them next to its resolver, and the quote is computed from them. */
export interface FieldCost {
  /** The action that runs once for each parent object, unless one of the following properties makes the call unnecessary. */
  readonly action?: Action;
  /** Views of the parent object that contain the field. With them no call is needed. */
  readonly carriedBy?: readonly UserView[];
  /** Subfields that need no call. */
  readonly known?: readonly string[];
  /** True if several fields of one object share one call. */
  readonly shared?: boolean;
  /** Returns the largest number of items. */
  readonly size?: (args: Args) => number;
  /** Bytes of a typical value, if the default of its type does not fit. For a text that may be very long, its greatest length. */
  readonly bytes?: number;
  /** The view of the field's objects; the parent's view if left out. */
  readonly view?: UserView;
  /** Returns the action's input from the arguments, if they determine it. Such an input is checked before credit is reserved. */
  readonly input?: (args: Args) => Record<string, unknown>;
  readonly paged?: boolean;
  /** Returns the objects that the arguments name, for a field whose type is an interface. */
  readonly objects?: (args: Args) => readonly NamedObject[];
}

/** An object that a global id names. */
export interface NamedObject {
  readonly type: string;
  readonly action: Action | null;
  readonly input: Record<string, unknown>;
  readonly view?: UserView;
}

export function costs(cost: FieldCost): { extensions: { postern: FieldCost } } {
  return { extensions: { postern: cost } };
}

export function costOf(field: GraphQLField<unknown, unknown>): FieldCost | undefined {
  return field.extensions['postern'] as FieldCost | undefined;
}
