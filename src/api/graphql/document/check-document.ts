import {
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  visit,
} from 'graphql';
import { PosternError } from '../../../shared/errors/postern-error.ts';
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
} as const;

/** The maximum number of validation errors in a response. */
const maxErrors = 10;

/**
 * Parses and validates a document. Without `introspection`, refuses introspection and suggests no names of the schema. Throws `PosternError`
 * if the document exceeds a limit, otherwise a `GraphQLError` or an `AggregateError` of them.
 */
export function checkDocument(text: string, schema: GraphQLSchema, introspection: boolean): DocumentNode {
  if (text.length > documentLimits.characters)
    throw tooMuch(`Too long: a document may have at most ${documentLimits.characters} characters`);
  const document = parseWithin(text);
  checkLimits(document);
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const errors = validate(schema, document, rules, { maxErrors, hideSuggestions: !introspection });
  if (errors.some((error) => exceededLimit(error) === 'comparisons')) throw tooMuch(messages.repetitions);
  if (errors.length > 0) throw new AggregateError(errors, errors[0]?.message);
  return document;
}

function parseWithin(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: documentLimits.tokens });
  } catch (error) {
    // The parser is recursive, so a stack overflow means that the document exceeds the nesting limit.
    if (error instanceof RangeError) throw tooMuch(messages.nesting);
    if (exceededLimit(error) !== 'tokens') throw error;
    throw tooMuch(`Too long: a document may have at most ${documentLimits.tokens} tokens`);
  }
}

const messages = {
  nesting: `Too deep: braces and brackets may be nested at most ${documentLimits.nesting} levels deep`,
  repetitions: `Too many repetitions: a field may occur at most ${documentLimits.repetitions} times in one selection`,
};

type Counted = 'aliases' | 'directives' | 'definitions' | 'variables' | 'selections' | 'repetitions' | 'nesting';

const nested: ReadonlySet<string> = new Set([Kind.SELECTION_SET, Kind.LIST, Kind.OBJECT, Kind.LIST_TYPE]);

function checkLimits(document: DocumentNode): void {
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
  if (over === 'nesting' || over === 'repetitions') throw tooMuch(messages[over]);
  if (over) throw tooMuch(`Too many ${over}: a document may have at most ${documentLimits[over]}`);
}

function tooMuch(message: string): PosternError {
  return new PosternError('document_limit', message);
}
