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

/** Limits of a document. They hold for free documents too, are far above what tools send, and are cheap to check. */
export const documentLimits = {
  characters: 32_768,
  tokens: 4_000,
  aliases: 100,
  directives: 50,
  /** Operations and fragments: the time to compare fragments grows with their square. */
  definitions: 50,
  variables: 100,
  /** Fields and fragment spreads, as written. */
  selections: 1_000,
  /** Occurrences of one field with arguments or a selection in one place. Validation compares each occurrence with all others. */
  repetitions: 75,
  /** Nested braces and brackets. */
  nesting: 64,
  /** Nested fields. */
  depth: 20,
  /** Fields, with fragments written out at each spread. */
  fields: 1_000,
  /** Fields that introspection may read, several times as many as tools select. */
  introspected: 15_000,
  /** Characters of Markdown in the inputs of all mutations, equal inputs counted once: three articles of the greatest length. */
  markdown: 300_000,
  /**
   * Bytes of a mutation's response, if `GRAPHQL_MAX_RESPONSE_BYTES` is not less. It is kept with an Idempotency-Key, sealed, in one
   * document of the store.
   */
  mutationBytes: 4 * 1024 * 1024,
} as const;

/** The largest number of validation errors in a response. */
const maxErrors = 10;

/**
 * Refuses documents that are too long before they are parsed, and documents that exceed another limit before they are validated. If
 * `suggest` is false, errors do not suggest names of the schema.
 */
export function limitDocuments({ suggest }: { suggest: boolean }): Plugin {
  const check = (schema: GraphQLSchema, document: DocumentNode, rules?: readonly ValidationRule[]) =>
    validateWithin(schema, document, rules, !suggest);
  return {
    onParams({ params }) {
      if (typeof params.query === 'string' && params.query.length > documentLimits.characters) {
        throw new PosternError(
          'document_limit',
          `Too long: a document may have ${documentLimits.characters} characters`,
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

/** Parses a document within the limits. Throws `GraphQLError`. */
export function parseWithin(source: Source | string, options?: ParseOptions): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: documentLimits.tokens });
  } catch (error) {
    // The parser is recursive. A document that overflows the stack exceeds the limit of nesting.
    if (error instanceof RangeError) throw tooMuch('nesting');
    if (exceededLimit(error) !== 'tokens') throw error;
    throw refusal(new PosternError('document_limit', `Too long: a document may have ${documentLimits.tokens} tokens`));
  }
}

export function validateWithin(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules?: readonly ValidationRule[],
  hideSuggestions = false,
): readonly GraphQLError[] {
  const fault = findFault(document);
  if (fault) return [fault];
  const errors = validate(schema, document, rules, { maxErrors, hideSuggestions });
  return errors.some((error) => exceededLimit(error) === 'comparisons') ? [tooMuch('repetitions')] : errors;
}

type Counted = 'aliases' | 'directives' | 'definitions' | 'variables' | 'selections' | 'repetitions' | 'nesting';

const nested: ReadonlySet<string> = new Set([Kind.SELECTION_SET, Kind.LIST, Kind.OBJECT, Kind.LIST_TYPE]);

function findFault(document: DocumentNode): GraphQLError | null {
  const counts: Record<Counted, number> = {
    aliases: 0,
    directives: 0,
    definitions: document.definitions.length,
    variables: 0,
    selections: 0,
    repetitions: 0,
    nesting: 0,
  };
  /** The number of occurrences of each field, by the path of response keys to it. */
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
