import type { GraphQLField } from 'graphql';
import type { Action } from '../../actions/action.ts';

/** Which data an object is made from, where that decides what is known of it (DESIGN: one User, many views). */
export type UserView = 'author' | 'card' | 'profile' | 'tweet' | 'quoted' | 'article';

export type Args = Readonly<Record<string, unknown>>;

/** What a field may ask of the pipeline, told beside its resolver: the quote is made from it before anything runs. */
export interface FieldCost {
  /** Runs for each object that the field is asked of, unless what follows says that it need not. */
  readonly action?: Action;
  /** Views of its object that carry the field. */
  readonly carriedBy?: readonly UserView[];
  /** Subfields for which nothing needs to run. */
  readonly known?: readonly string[];
  /** True where several fields of one object share one run. */
  readonly shared?: boolean;
  /** At most so many items. */
  readonly size?: (args: Args) => number;
  /** Bytes of a typical text, where they are not those of other fields of its type; of a text that may be very long, the most. */
  readonly bytes?: number;
  /** From which data those are made; the parent's where left out. */
  readonly view?: UserView;
  /** The action's input, of fields whose arguments say all of it: it is checked before the money. */
  readonly input?: (args: Args) => Record<string, unknown>;
  readonly paged?: boolean;
  /** Of an interface: which objects the arguments name. */
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
