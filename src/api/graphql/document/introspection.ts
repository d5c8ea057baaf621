import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  isObjectType,
  type SchemaMetaFieldDef,
} from 'graphql';
import { PosternError } from '../../../shared/errors/postern-error.ts';
import { documentLimits } from './check-document.ts';
import { type DocumentScope, type Selected, selectedFields } from './selection.ts';

type Field = typeof SchemaMetaFieldDef;
type Nodes = readonly FieldNode[];

/** A selection after its fragments and variables are resolved. It is the same for all objects that the selection is applied to. */
interface Question {
  readonly args: Record<string, unknown>;
  readonly type: GraphQLObjectType | null;
  readonly fields: Selected;
}

/**
 * Counts the fields that introspection reads, up to a limit. The limit is needed because introspection is free, and because types have
 * fields that have types: a short document can select millions of fields.
 */
export class IntrospectionReader {
  readonly #scope: DocumentScope;
  #count = 0;
  readonly #questions = new Map<Nodes, Question>();

  constructor(scope: DocumentScope) {
    this.#scope = scope;
  }

  /** Counts the fields that one introspection field reads. Throws `too_costly`. */
  read(field: Field, nodes: Nodes, source?: unknown): void {
    if (++this.#count > documentLimits.introspected) {
      throw new PosternError(
        'document_limit',
        `Too broad: a request may read at most ${documentLimits.introspected} fields of the schema`,
      );
    }
    const { type, args, fields } = this.#question(field, nodes);
    if (type === null) return;
    const info = { schema: this.#scope.schema } as GraphQLResolveInfo;
    const value: unknown = field.resolve?.(source, args, undefined, info);
    for (const item of Array.isArray(value) ? value : [value]) if (item) this.#object(type, fields, item);
  }

  #object(type: GraphQLObjectType, selected: Selected, source: unknown): void {
    for (const nodes of selected.values()) {
      const field = type.getFields()[nodes[0]?.name.value ?? ''];
      if (field) this.read(field, nodes, source);
    }
  }

  #question(field: Field, nodes: Nodes): Question {
    let question = this.#questions.get(nodes);
    if (!question) {
      const type = getNamedType(field.type);
      const sets = nodes.map((node) => node.selectionSet);
      const [node] = nodes;
      question =
        node && isObjectType(type)
          ? {
              type,
              args: getArgumentValues(field, node, this.#scope.variables),
              fields: selectedFields(type, sets, this.#scope),
            }
          : { type: null, args: {}, fields: new Map() };
      this.#questions.set(nodes, question);
    }
    return question;
  }
}
