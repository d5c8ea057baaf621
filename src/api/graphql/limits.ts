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

/** What a document may be, whatever it would cost. Generous for people and programs, and quickly refused beyond. */
export const documentLimits = {
  characters: 32_768,
  tokens: 4_000,
  aliases: 100,
  directives: 50,
  /** Operations and fragments: the time to compare fragments grows with their square. */
  definitions: 50,
  variables: 100,
  /** Fields and spreads as they are written. */
  selections: 1_000,
  /** One field, with arguments or fields of its own, in one place: each time is compared with each of the others. */
  repetitions: 75,
  /** Braces and brackets within each other. */
  nesting: 64,
  /** Fields within fields. */
  depth: 20,
  /** Fields, fragments written out. */
  fields: 1_000,
  /** Fields of the schema's types that introspection may read: several times what tools ask for. */
  introspected: 15_000,
  /** Characters of Markdown in the inputs of all mutations, equal inputs counted once: three articles of the greatest length. */
  markdown: 300_000,
  /**
   * Bytes of a mutation's response, if `GRAPHQL_MAX_RESPONSE_BYTES` is not less. It is kept with an Idempotency-Key, sealed, in one
   * document of the store.
   */
  mutationBytes: 4 * 1024 * 1024,
} as const;

/** What is wrong with a document is told so many times at most. */
const maxErrors = 10;

/**
 * Refuses what is too large before it is parsed, and what is too much before it is validated. `suggest`: whether errors
 * may name what the schema has instead.
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

/** Throws `GraphQLError`. */
export function parseWithin(source: Source | string, options?: ParseOptions): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: documentLimits.tokens });
  } catch (error) {
    // The parser calls itself for what stands inside; deeper than the stack is deeper than any limit.
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
  /** How often each field is written: by the names of the fields around it. */
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
