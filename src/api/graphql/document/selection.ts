import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';

/** The schema, the fragments and the variables that a document's names refer to. */
export interface DocumentScope {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  /** The coerced variables. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A scope in which `variables: null` selects every field, even if `@skip` or `@include` may remove it. */
type SelectionScope = Omit<DocumentScope, 'variables'> & { readonly variables: DocumentScope['variables'] | null };

export function fragmentsOf({ definitions }: DocumentNode): DocumentScope['fragments'] {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  }
  return fragments;
}

/** Returns a field by its name, including `__schema`, `__type` and `__typename`. */
export function fieldOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  return type.getFields()[name];
}

/** The fields that are selected from an object, by response key. All fields with the same response key have the same arguments. */
export type Selected = ReadonlyMap<string, readonly FieldNode[]>;

/**
 * Returns the fields that a request selects from an object of this type (CollectFields, GraphQL October 2021, section 6.3.2). Visits each
 * fragment once, so the work is bounded by the size of the document.
 */
export function selectedFields(
  type: GraphQLObjectType,
  sets: readonly (SelectionSetNode | undefined)[],
  scope: SelectionScope,
): Selected {
  const fields = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const visit = (selection: SelectionNode): void => {
    if (!isIncluded(selection, scope)) return;
    if (selection.kind === Kind.FIELD) {
      const key = selection.alias?.value ?? selection.name.value;
      const same = fields.get(key);
      if (same) same.push(selection);
      else fields.set(key, [selection]);
      return;
    }
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const name = selection.name.value;
      if (visited.has(name)) return;
      visited.add(name);
    }
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? scope.fragments[selection.name.value] : selection;
    if (!fragment || !applies(fragment.typeCondition?.name.value, type, scope.schema)) return;
    for (const inner of fragment.selectionSet.selections) visit(inner);
  };
  for (const set of sets) for (const selection of set?.selections ?? []) visit(selection);
  return fields;
}

function isIncluded(node: SelectionNode, { variables }: SelectionScope): boolean {
  if (variables === null || !node.directives?.length) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false;
}

function applies(condition: string | undefined, type: GraphQLObjectType, schema: GraphQLSchema): boolean {
  if (condition === undefined || condition === type.name) return true;
  const wanted = schema.getType(condition);
  return isAbstractType(wanted) && schema.isSubType(wanted, type);
}

/** Returns true if the selection contains only these fields and `__typename`. */
export function selectsOnly(known: readonly string[], fields: Selected): boolean {
  for (const [node] of fields.values()) {
    const name = node?.name.value ?? '';
    if (name !== '__typename' && !known.includes(name)) return false;
  }
  return true;
}
