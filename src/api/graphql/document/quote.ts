import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isListType,
  isObjectType,
  isScalarType,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';
import type { Action } from '../../../actions/action.ts';
import { PosternError } from '../../../shared/errors/postern-error.ts';
import type { Micros } from '../../../shared/model/money.ts';
import { documentLimits } from './check-document.ts';
import { type Args, costOf, type FieldCost, type Needs, type UserView } from './cost.ts';
import { IntrospectionReader } from './introspection.ts';
import { type DocumentScope, fieldOf, type Selected, selectedFields, selectsOnly } from './selection.ts';

/** The size of a typical value in bytes, by scalar type. A field can declare another size (`FieldCost.bytes`). */
const bytesOfScalar: Readonly<Record<string, number>> = {
  Boolean: 5,
  Int: 8,
  Float: 12,
  ID: 40,
  DateTime: 26,
  Credits: 12,
  String: 60,
};
const bytesOfEnum = 12;
/**
 * The number of items that is assumed for a list of unknown length. The actual items are counted when the list is resolved
 * (`ResponseBudget.count`).
 */
const assumedItems = 4;
/** The estimated size in bytes of one entry of `errors`. */
const bytesOfError = 400;

/**
 * Objects and fields count as this many bytes at least, so that the limit of the response bounds the time to resolve it too: 2 MiB take less
 * than 100 ms. Fields that may make a call have slower resolvers.
 */
const leastBytes = { object: 50, field: 50, fieldWithAction: 300 };

/** The quotation marks, the colon and the comma of a field. */
const bytesOfSyntax = 4;

export interface Quote {
  readonly micros: Micros;
  /** The estimated size of the response in bytes. */
  readonly bytes: number;
  /** The estimated size in bytes of one item of each list. The key is the first node of the list. */
  readonly itemBytes: ReadonlyMap<FieldNode, number>;
  /** The parts of objects that the operation selects. All its reads ask for them, so that each object is read once. */
  readonly needs: Needs;
}

/** Checks the input of a call before the operation runs. Throws `PosternError`. */
export type CheckCall = (action: Action, input: Record<string, unknown>, paged: boolean) => void;

/**
 * Computes the maximum cost of a request and estimates the size of its response. Assumes the worst case: every list has its maximum length,
 * all objects differ, and every field that may need a call makes the call. A call with invalid input costs nothing, because it will be
 * refused. Throws `too_costly` if a limit is exceeded.
 */
export function quote(scope: DocumentScope, operation: OperationDefinitionNode, check: CheckCall): Quote {
  return new Traversal(scope, check).quote(operation);
}

/** A group of objects of one type that come from the same kind of response. */
interface Place {
  readonly times: number;
  readonly view: UserView | undefined;
  readonly depth: number;
  /** The number of edges, if the objects are connections. */
  readonly items: number | undefined;
}

class Traversal {
  readonly #scope: DocumentScope;
  readonly #check: CheckCall;
  readonly #introspection: IntrospectionReader;
  readonly #itemBytes = new Map<FieldNode, number>();
  readonly #needs: { -readonly [Part in keyof Needs]: boolean } = {
    author: false,
    quoted: false,
    mentionNames: false,
    media: false,
    pinned: false,
  };
  #micros = 0;
  #fields = 0;

  constructor(scope: DocumentScope, check: CheckCall) {
    this.#scope = scope;
    this.#check = check;
    this.#introspection = new IntrospectionReader(scope);
  }

  quote({ operation, selectionSet }: OperationDefinitionNode): Quote {
    const root = this.#scope.schema.getRootType(operation);
    const place = { times: 1, view: undefined, depth: 1, items: undefined };
    const bytes = root ? this.#object(root, selectedFields(root, [selectionSet], this.#scope), place) : 0;
    return { micros: this.#micros, bytes, itemBytes: this.#itemBytes, needs: this.#needs };
  }

  /** Estimates the size of one object in bytes. */
  #object(type: GraphQLObjectType, selected: Selected, place: Place): number {
    const shared = new Set<Action>();
    if (place.depth > documentLimits.depth) {
      throw new PosternError(
        'document_limit',
        `Too deep: fields may be nested at most ${documentLimits.depth} levels deep`,
      );
    }
    let bytes = leastBytes.object;
    for (const [node, ...more] of selected.values()) {
      if (!node) continue;
      if (++this.#fields > documentLimits.fields) {
        throw new PosternError(
          'document_limit',
          `Too broad: a document may have at most ${documentLimits.fields} fields after its fragments are expanded`,
        );
      }
      const field = fieldOf(type, node.name.value);
      if (!field) continue;
      const { action, needs } = costOf(field) ?? {};
      if (needs) this.#needs[needs] = true;
      const least = action ? leastBytes.fieldWithAction : leastBytes.field;
      bytes += Math.max(least, bytesOfKey(node) + this.#field(field, [node, ...more], place, shared));
    }
    return bytes;
  }

  /** Estimates the size of the field's value in bytes. */
  #field(field: Field, nodes: readonly [FieldNode, ...FieldNode[]], place: Place, shared: Set<Action>): number {
    const cost = costOf(field) ?? {};
    const [node] = nodes;
    const args =
      cost.size || cost.objects || (cost.input && place.depth === 1) ? argumentsOf(field, node, this.#scope) : {};
    if (!args || (place.depth === 1 && this.#isRootRefused(cost, args))) return bytesOfError;
    if (cost.objects) return this.#named(cost, args, nodes, place);

    const type = getNamedType(field.type);
    const sets = nodes.map((node) => node.selectionSet);
    const size = cost.size?.(args);
    const items = isList(field) ? (size ?? place.items ?? assumedItems) : 1;
    const inner = {
      times: place.times * items,
      view: cost.view ?? place.view,
      depth: place.depth + 1,
      items: isList(field) ? undefined : size,
    };
    const types = isObjectType(type) ? [type] : isAbstractType(type) ? this.#scope.schema.getPossibleTypes(type) : [];
    const selections = types.map((each) => [each, selectedFields(each, sets, this.#scope)] as const);
    if (this.#runs(cost, place, selections, shared)) this.#count(cost.action as Action, place.times);
    let itemBytes = isCompositeType(type) ? 0 : bytesOfLeaf(field);
    for (const [each, selected] of selections) itemBytes = Math.max(itemBytes, this.#object(each, selected, inner));
    // The depth limit above must be checked before the introspection is traversed.
    if (field === SchemaMetaFieldDef || field === TypeMetaFieldDef) this.#introspection.read(field, nodes);
    if (!isList(field)) return itemBytes;
    this.#noteItem(nodes[0], itemBytes);
    return items * (itemBytes + 1);
  }

  #runs(
    cost: FieldCost,
    { view }: Place,
    selections: readonly (readonly [GraphQLObjectType, Selected])[],
    shared: Set<Action>,
  ) {
    if (!cost.action || (view && cost.carriedBy?.includes(view))) return false;
    const { known } = cost;
    if (known && selections.every(([, selected]) => selectsOnly(known, selected))) return false;
    if (!cost.shared) return true;
    if (shared.has(cost.action)) return false;
    shared.add(cost.action);
    return true;
  }

  #named({ objects }: FieldCost, args: Args, nodes: readonly [FieldNode, ...FieldNode[]], place: Place): number {
    let bytes = 0;
    const counted = new Set<Action>();
    const sets = nodes.map((node) => node.selectionSet);
    for (const { type: name, action, input, view, shared } of objects?.(args) ?? []) {
      const type = this.#scope.schema.getType(name);
      if (!isObjectType(type) || (action && this.#isRefused(action, input, false))) continue;
      if (action && !(shared && counted.has(action))) this.#count(action, place.times);
      if (action) counted.add(action);
      const inner = { times: place.times, view, depth: place.depth + 1, items: undefined };
      const itemBytes = this.#object(type, selectedFields(type, sets, this.#scope), inner);
      this.#noteItem(nodes[0], itemBytes);
      bytes += itemBytes;
    }
    return bytes;
  }

  #isRootRefused({ action, input, paged = false }: FieldCost, args: Args): boolean {
    return action !== undefined && input !== undefined && this.#isRefused(action, input(args), paged);
  }

  #isRefused(action: Action, input: Record<string, unknown>, paged: boolean): boolean {
    try {
      this.#check(action, input, paged);
      return false;
    } catch (error) {
      if (error instanceof PosternError) return true;
      throw error;
    }
  }

  #noteItem(node: FieldNode, bytes: number): void {
    this.#itemBytes.set(node, Math.max(bytes, this.#itemBytes.get(node) ?? 0));
  }

  #count(action: Action, times: number): void {
    this.#micros += action.price * times;
  }
}

type Field = GraphQLField<unknown, unknown>;

/**
 * Returns the arguments of a field. Returns `null` if they are invalid, for example because a variable is null; graphql-js will refuse the
 * field.
 */
function argumentsOf(field: Field, node: FieldNode, { variables }: DocumentScope): Args | null {
  try {
    return getArgumentValues(field, node, variables);
  } catch {
    return null;
  }
}

function bytesOfKey({ alias, name }: FieldNode): number {
  return (alias ?? name).value.length + bytesOfSyntax;
}

export function isList({ type }: Pick<GraphQLField<unknown, unknown>, 'type'>): boolean {
  return isListType(getNullableType(type));
}

/** Returns the typical size in bytes of a scalar or enum value. */
function bytesOfLeaf(field: GraphQLField<unknown, unknown>): number {
  const type = getNamedType(field.type);
  return costOf(field)?.bytes ?? (isScalarType(type) ? (bytesOfScalar[type.name] ?? 60) : bytesOfEnum);
}
