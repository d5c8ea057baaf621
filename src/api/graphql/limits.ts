import {
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  type ParseOptions,
  parse,
  type Source,
  type ValidationRule,
  validate,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { refusal } from './errors.ts';
import { exceededLimit } from './graphql-js-messages.ts';

/** Limits of a document. They apply to free documents too. They are far above the needs of real clients and cheap to check. */
export const documentLimits = {
  characters: 32_768,
  tokens: 4_000,
  aliases: 100,
  directives: 50,
  /** The maximum number of operations and fragments. The time to compare fragments grows with the square of their number. */
  definitions: 50,
  variables: 100,
  /** The maximum number of fields and fragment spreads in the source text. */
  selections: 1_000,
  /**
   * The maximum number of times that one field with arguments or subfields may occur in one selection. Validation compares every occurrence
   * with all others.
   */
  repetitions: 75,
  /** The maximum nesting of braces and brackets. */
  nesting: 64,
  /** The maximum nesting of fields. */
  depth: 20,
  /** The maximum number of fields after fragments are expanded. */
  fields: 1_000,
  /** The maximum number of fields that introspection may read. Tools need a small part of it. */
  introspected: 15_000,
  /**
   * The maximum number of Markdown characters in the inputs of all mutations: three articles of maximum length. Equal inputs count once.
   */
  markdown: 300_000,
  /**
   * The maximum size of a mutation's response in bytes, unless `GRAPHQL_MAX_RESPONSE_BYTES` is lower. A larger response is shortened,
   * because the mutation was performed.
   */
  mutationBytes: 4 * 1024 * 1024,
} as const;

/** The maximum number of validation errors in a response. */
const maxErrors = 10;

/**
 * Creates a plugin that refuses documents beyond the limits: those that are too long before they are parsed, and all others before they are
 * validated. If `suggest` is false, error messages do not suggest names of the schema.
 */
export function limitDocuments({ suggest }: { suggest: boolean }): Plugin {
  const check = (schema: GraphQLSchema, document: DocumentNode, rules?: readonly ValidationRule[]) =>
    validateWithin(schema, document, rules, !suggest);
  return {
    onParams({ params }) {
      if (typeof params.query === 'string' && params.query.length > documentLimits.characters) {
        throw new PosternError(
          'document_limit',
          `Too long: a document may have at most ${documentLimits.characters} characters`,
        );
      }
    },
    onParse({ setParseFn }) {
      setParseFn(parseWithin);
    },
    onValidate({ setValidationFn }) {
      setValidationFn(check as typeof validate);
    },
  };
}

/** Parses a document. Throws a `GraphQLError` if the document exceeds a limit. */
export function parseWithin(source: Source | string, options?: ParseOptions): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: documentLimits.tokens });
  } catch (error) {
    // The parser is recursive, so a stack overflow means that the document exceeds the nesting limit.
    if (error instanceof RangeError) throw tooMuch('nesting');
    if (exceededLimit(error) !== 'tokens') throw error;
    throw refusal(
      new PosternError('document_limit', `Too long: a document may have at most ${documentLimits.tokens} tokens`),
    );
  }
}

export function validateWithin(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules?: readonly ValidationRule[],
  hideSuggestions = false,
): readonly GraphQLError[] {
  const failure = findExceededLimit(document);
  if (failure) return [failure];
  const errors = validate(schema, document, rules, { maxErrors, hideSuggestions });
  return errors.some((error) => exceededLimit(error) === 'comparisons') ? [tooMuch('repetitions')] : errors;
}

type Counted = 'aliases' | 'directives' | 'definitions' | 'variables' | 'selections' | 'repetitions' | 'nesting';

const nested: ReadonlySet<string> = new Set([Kind.SELECTION_SET, Kind.LIST, Kind.OBJECT, Kind.LIST_TYPE]);

function findExceededLimit(document: DocumentNode): GraphQLError | null {
  const counts: Record<Counted, number> = {
    aliases: 0,
    directives: 0,
    definitions: document.definitions.length,
    variables: 0,
    selections: 0,
    repetitions: 0,
    nesting: 0,
  };
  /** The number of occurrences of each field. The key is the path of response keys to the field. */
  const times = new Map<string, number>();
  const places = [''];
  let inside = 0;
  const enter = (node: ASTNode) => {
    if (node.kind === Kind.FIELD) {
      if (node.alias) counts.aliases += 1;
      if (node.selectionSet || node.arguments?.length) {
        const place = `${places.at(-1)}.${(node.alias ?? node.name).value}`;
        times.set(place, (times.get(place) ?? 0) + 1);
        places.push(place);
      }
    }
    if (node.kind === Kind.DIRECTIVE) counts.directives += 1;
    if (node.kind === Kind.VARIABLE_DEFINITION) counts.variables += 1;
    if (node.kind === Kind.SELECTION_SET) counts.selections += node.selections.length;
    if (nested.has(node.kind)) counts.nesting = Math.max(counts.nesting, ++inside);
  };
  const leave = (node: ASTNode) => {
    if (nested.has(node.kind)) inside -= 1;
    if (node.kind === Kind.FIELD && (node.selectionSet || node.arguments?.length)) places.pop();
  };
  visit(document, { enter, leave } satisfies ASTVisitor);
  counts.repetitions = Math.max(0, ...times.values());
  const over = (Object.keys(counts) as Counted[]).find((name) => counts[name] > documentLimits[name]);
  return over ? tooMuch(over) : null;
}

function tooMuch(what: Counted): GraphQLError {
  const limit = documentLimits[what];
  const message = {
    nesting: `Too deep: braces and brackets may stand ${limit} deep in each other`,
    repetitions: `Too many repetitions: a field may be written ${limit} times in one place`,
  };
  const told =
    what in message ? message[what as keyof typeof message] : `Too many ${what}: a document may have ${limit}`;
  return refusal(new PosternError('document_limit', told));
}
