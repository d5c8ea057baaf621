import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type ValueNode,
} from 'graphql';
import type { Action } from '../../actions/action.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { Micros } from '../../shared/model/money.ts';
import { type Args, costOf, type FieldCost, type UserView } from './cost.ts';
import { IntrospectionReader } from './introspection.ts';
import { assumedItems, bytesOfError, bytesOfKey, bytesOfLeaf, bytesOfSyntax, isList } from './response-size.ts';
import { type DocumentScope, fieldOf, type Selected, selectedFields, selectsOnly } from './selection.ts';

export interface QuoteLimits {
  /** Nested fields. */
  readonly depth: number;
  /** Fields of the document, with fragments written out at each spread. */
  readonly fields: number;
  /** Fields of the schema's types that introspection may read. */
  readonly introspected: number;
}

export interface Quote {
  readonly micros: Micros;
  /** Estimated bytes of the response. */
  readonly bytes: number;
  /** Estimated bytes of one item of each list, by the first node of the list. */
  readonly itemBytes: ReadonlyMap<FieldNode, number>;
}

/** Checks the input of a call that is known before anything runs. Throws `PosternError`. */
export type CheckCall = (action: Action, input: Record<string, unknown>, paged: boolean) => void;

export interface QuoteOptions {
  scope: DocumentScope;
  operation: OperationDefinitionNode;
  limits: QuoteLimits;
  check: CheckCall;
}

/**
 * Returns the most that a request can cost, and an estimate of the size of its response. Both assume the worst case: every list
 * has its greatest length, no two objects are the same, and every field that needs a call makes it. A call whose input is wrong
 * costs nothing, because it will be refused. Throws `too_costly` beyond the limits.
 */
export function quote(options: QuoteOptions): Quote {
  const { operation, limits } = options;
  const known = quotes.get(operation);
  if (known?.limits === limits && known.calls.every((call) => isAccepted(call, options))) return known.quote;
  const traversal = new Traversal(options);
  const made = traversal.quote();
  if (traversal.isReusable) quotes.set(operation, { limits, quote: made, calls: traversal.calls });
  return made;
}

/** A field of the root type whose call is checked before anything runs. */
interface RootCall {
  readonly field: Field;
  readonly node: FieldNode;
  readonly action: Action;
  readonly input: NonNullable<FieldCost['input']>;
  readonly paged: boolean;
}

/** A quote that is the same for each request of an operation in which none of these calls is refused. */
interface KnownQuote {
  readonly limits: QuoteLimits;
  readonly quote: Quote;
  readonly calls: readonly RootCall[];
}

const quotes = new WeakMap<OperationDefinitionNode, KnownQuote>();

function isAccepted(call: RootCall, options: QuoteOptions): boolean {
  const args = argumentsOf(call, options.scope);
  return args !== null && !isRefused(options, call.action, call.input(args), call.paged);
}

/** A number of objects of one type, made from the same data. */
interface Place {
  readonly times: number;
  readonly view: UserView | undefined;
  readonly depth: number;
  /** The number of edges, if the objects are connections. */
  readonly items: number | undefined;
}

class Traversal {
  readonly #options: QuoteOptions;
  readonly #introspection: IntrospectionReader;
  readonly #itemBytes = new Map<FieldNode, number>();
  /** The calls of the root type. */
  readonly calls: RootCall[] = [];
  /** True if no call was refused, and the result depends on nothing but the operation and on that. */
  isReusable: boolean;
  #micros = 0;
  #fields = 0;

  constructor(options: QuoteOptions) {
    this.#options = options;
    this.#introspection = new IntrospectionReader(options.scope, options.limits.introspected);
    const { variableDefinitions = [], loc } = options.operation;
    // Variables may decide what directives select.
    this.isReusable = variableDefinitions.length === 0 || loc?.source.body.includes('@') === false;
  }

  quote(): Quote {
    const { scope, operation } = this.#options;
    const root = scope.schema.getRootType(operation.operation);
    const place = { times: 1, view: undefined, depth: 1, items: undefined };
    const bytes = root ? this.#object(root, selectedFields(root, [operation.selectionSet], scope), place) : 0;
    return { micros: this.#micros, bytes, itemBytes: this.#itemBytes };
  }

  /** Returns the estimated bytes of one such object. */
  #object(type: GraphQLObjectType, selected: Selected, place: Place): number {
    const shared = new Set<Action>();
    const { limits } = this.#options;
    if (place.depth > limits.depth) {
      throw new PosternError('document_limit', `Too deep: fields may stand ${limits.depth} deep in each other`);
    }
    let bytes = bytesOfSyntax.object;
    for (const [node, ...more] of selected.values()) {
      if (!node) continue;
      if (++this.#fields > limits.fields) {
        throw new PosternError(
          'document_limit',
          `Too broad: a document may have ${limits.fields} fields, its fragments written out`,
        );
      }
      const field = fieldOf(type, node.name.value);
      if (field) bytes += bytesOfKey(node) + this.#field(field, [node, ...more], place, shared);
    }
    return bytes;
  }

  /** Returns the estimated bytes of the field's value. */
  #field(field: Field, nodes: readonly [FieldNode, ...FieldNode[]], place: Place, shared: Set<Action>): number {
    const cost = costOf(field) ?? {};
    const [node] = nodes;
    const args =
      cost.size || cost.objects || (cost.input && place.depth === 1)
        ? argumentsOf({ field, node }, this.#options.scope)
        : {};
    if (cost.objects || (cost.size && node.arguments?.some(({ value }) => namesVariable(value)))) {
      this.isReusable = false;
    }
    if (!args || (place.depth === 1 && this.#isRootRefused(field, node, cost, args))) {
      this.isReusable = false;
      return bytesOfError;
    }
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
    const types = isObjectType(type)
      ? [type]
      : isAbstractType(type)
        ? this.#options.scope.schema.getPossibleTypes(type)
        : [];
    const selections = types.map((each) => [each, selectedFields(each, sets, this.#options.scope)] as const);
    if (this.#runs(cost, place, selections, shared)) this.#count(cost.action as Action, place.times);
    let itemBytes = isCompositeType(type) ? 0 : bytesOfLeaf(field);
    for (const [each, selected] of selections) itemBytes = Math.max(itemBytes, this.#object(each, selected, inner));
    // The introspection is read after the loop above has refused documents that are too deep.
    if (field === SchemaMetaFieldDef || field === TypeMetaFieldDef) {
      this.#introspection.read(field, nodes);
      this.isReusable = false;
    }
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
    const { scope } = this.#options;
    let bytes = 0;
    const sets = nodes.map((node) => node.selectionSet);
    for (const { type: name, action, input, view } of objects?.(args) ?? []) {
      const type = scope.schema.getType(name);
      if (!isObjectType(type) || (action && isRefused(this.#options, action, input, false))) continue;
      if (action) this.#count(action, place.times);
      const inner = { times: place.times, view, depth: place.depth + 1, items: undefined };
      const itemBytes = this.#object(type, selectedFields(type, sets, scope), inner);
      this.#noteItem(nodes[0], itemBytes);
      bytes += itemBytes;
    }
    return bytes;
  }

  #isRootRefused(field: Field, node: FieldNode, { action, input, paged = false }: FieldCost, args: Args): boolean {
    if (!action || !input) return false;
    this.calls.push({ field, node, action, input, paged });
    return isRefused(this.#options, action, input(args), paged);
  }

  #noteItem(node: FieldNode, bytes: number): void {
    this.#itemBytes.set(node, Math.max(bytes, this.#itemBytes.get(node) ?? 0));
  }

  #count(action: Action, times: number): void {
    this.#micros += action.price * times;
  }
}

type Field = GraphQLField<unknown, unknown>;

function isRefused({ check }: QuoteOptions, action: Action, input: Record<string, unknown>, paged: boolean): boolean {
  try {
    check(action, input, paged);
    return false;
  } catch (error) {
    if (error instanceof PosternError) return true;
    throw error;
  }
}

/** Returns the arguments; `null` if they are wrong, for example because a variable is null. graphql-js then refuses the field. */
function argumentsOf({ field, node }: Pick<RootCall, 'field' | 'node'>, { variables }: DocumentScope): Args | null {
  try {
    return getArgumentValues(field, node, variables);
  } catch {
    return null;
  }
}

function namesVariable(value: ValueNode): boolean {
  if (value.kind === Kind.VARIABLE) return true;
  if (value.kind === Kind.LIST) return value.values.some(namesVariable);
  return value.kind === Kind.OBJECT && value.fields.some((field) => namesVariable(field.value));
}
