import {
  BREAK,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  isWrappingType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import { fieldOf, fragmentsOf, selectedFields } from '../document/selection.ts';

/**
 * Upper bounds for the code that graphql-jit 0.8.9 generates, measured. A test checks that the estimate is never too small
 * (test/api/graphql/executor.test.ts).
 */
const characters = { perField: 600, perResolver: 2_600, perWrapper: 1_500, perType: 2_600, perNode: 250 };
/** graphql-jit writes the names on the path to a field this many times: in its error objects, argument names and function names. */
const timesPathIsWritten = 16;
/**
 * For each field, graphql-jit traverses all selections below it, with fragments expanded. One step takes as long as writing this many
 * characters.
 */
const charactersPerStep = 16;

/**
 * Estimates how many characters of code graphql-jit generates for an operation. The estimate expands every fragment at each spread,
 * includes every possible type of an interface, and includes fields that `@skip` or `@include` may leave out. Returns `null` if the
 * estimate exceeds the limit, or if graphql-jit would compile the operation wrongly.
 */
export function compiledSize(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  limit: number,
): number | null {
  if (usesWhatIsCompiledWrongly(document)) return null;
  return new SizeEstimate(schema, fragmentsOf(document), limit).of(operation);
}

/**
 * graphql-jit 0.8.9 keeps variables and objects of the result in objects that inherit from `Object.prototype`, requires a variable of a
 * non-null type although it has a default, and passes `null` for a missing variable in a field of an input object.
 */
function usesWhatIsCompiledWrongly(document: DocumentNode): boolean {
  const variables = document.definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION ? (one.variableDefinitions ?? []) : [],
  );
  const isRequired = ({ type }: VariableDefinitionNode) => type.kind === Kind.NON_NULL_TYPE;
  if (variables.some((one) => isRequired(one) && one.defaultValue)) return true;
  const mayBeMissing = variables.filter((one) => !isRequired(one) && !one.defaultValue);
  const missing = new Set(mayBeMissing.map(({ variable }) => variable.name.value));
  let isWrong = false;
  const breakIf = (condition: boolean) => {
    isWrong ||= condition;
    return isWrong ? BREAK : undefined;
  };
  visit(document, {
    Name: ({ value }) => breakIf(value in Object.prototype),
    ObjectField: ({ value }) => breakIf(value.kind === Kind.VARIABLE && missing.has(value.name.value)),
  });
  return isWrong;
}

class SizeEstimate {
  readonly #schema: GraphQLSchema;
  readonly #fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly #limit: number;
  /** The number of selections below each selection set, with fragments expanded. Counting stops at the limit. */
  readonly #steps = new Map<SelectionSetNode, number>();
  #size = 0;
  #isWrong = false;

  constructor(schema: GraphQLSchema, fragments: Readonly<Record<string, FragmentDefinitionNode>>, limit: number) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#limit = limit;
  }

  of(operation: OperationDefinitionNode): number | null {
    const root = this.#schema.getRootType(operation.operation);
    if (!root) return null;
    this.#stepsBelow(operation.selectionSet);
    this.#object(root, [operation.selectionSet], 0);
    return this.#isWrong || this.#isOver ? null : this.#size;
  }

  get #isOver(): boolean {
    return this.#size > this.#limit;
  }

  #object(type: GraphQLObjectType, sets: readonly (SelectionSetNode | undefined)[], path: number): void {
    const scope = { schema: this.#schema, fragments: this.#fragments, variables: null };
    for (const nodes of selectedFields(type, sets, scope).values()) {
      if (this.#isOver || this.#isWrong) return;
      const [node] = nodes;
      const field = node && fieldOf(type, node.name.value);
      if (field) this.#field(field, nodes, path);
    }
  }

  #field(field: GraphQLField<unknown, unknown>, nodes: readonly FieldNode[], outerPath: number): void {
    let own = 0;
    for (const node of nodes) {
      own += ownLength(node);
      const steps = node.selectionSet ? this.#stepsBelow(node.selectionSet) : 0;
      this.#size += characters.perNode + steps * charactersPerStep;
    }
    const path = outerPath + own;
    this.#size += (field.resolve ? characters.perResolver : characters.perField) + path * timesPathIsWritten;
    for (let type = field.type; isWrappingType(type); type = type.ofType)
      this.#size += characters.perWrapper + path * timesPathIsWritten;
    const type = getNamedType(field.type);
    const sets = nodes.map(({ selectionSet }) => selectionSet);
    if (isObjectType(type)) this.#object(type, sets, path);
    if (!isAbstractType(type)) return;
    for (const each of this.#schema.getPossibleTypes(type)) {
      this.#size += characters.perType + path * timesPathIsWritten;
      this.#object(each, sets, path + each.name.length);
    }
  }

  #stepsBelow(set: SelectionSetNode): number {
    const known = this.#steps.get(set);
    if (known !== undefined) return known;
    let steps = 0;
    for (const selection of set.selections) {
      const below = this.#setOf(selection);
      steps = Math.min(this.#limit, steps + 1 + (below ? this.#stepsBelow(below) : 0));
    }
    this.#steps.set(set, steps);
    return steps;
  }

  #setOf(selection: SelectionNode): SelectionSetNode | undefined {
    // graphql-jit 0.8.9 has a bug: it applies the condition of one spread to every other spread of the same fragment.
    if (selection.kind !== Kind.FIELD && selection.directives?.length) this.#isWrong = true;
    if (selection.kind !== Kind.FRAGMENT_SPREAD) return selection.selectionSet;
    return this.#fragments[selection.name.value]?.selectionSet;
  }
}

/** Returns the length of a field's source text without its subfields. */
function ownLength({ loc, name, alias, selectionSet }: FieldNode): number {
  if (!loc) return (alias ?? name).value.length;
  return (selectionSet?.loc?.start ?? loc.end) - loc.start;
}
