import {
  type DocumentNode,
  GraphQLError,
  type ParseOptions,
  parse as parseDocument,
  type Source,
  visit,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { PosternError } from '../errors/postern-error.ts';
import { refusal } from './errors.ts';

/** What a document may be, whatever it would cost. Generous for people and programs, and quickly refused beyond. */
export const documentLimits = {
  characters: 32_768,
  tokens: 4_000,
  aliases: 100,
  directives: 50,
  /** Fields within fields. */
  depth: 20,
  /** Fields, fragments written out. */
  fields: 1_000,
} as const;

/** Refuses what is too large before it is parsed, and what is too much before it is validated. */
export function limitDocuments(): Plugin {
  return {
    onParams({ params }) {
      if (typeof params.query === 'string' && params.query.length > documentLimits.characters) {
        throw new PosternError('too_costly', `Too long: a document may have ${documentLimits.characters} characters`);
      }
    },
    onParse({ setParseFn }) {
      setParseFn(parse);
    },
    onValidate({ params, setResult }) {
      const fault = findFault(params.documentAST as DocumentNode);
      if (fault) setResult([fault]);
    },
  };
}

function parse(source: Source | string, options?: ParseOptions): DocumentNode {
  try {
    return parseDocument(source, { ...options, maxTokens: documentLimits.tokens });
  } catch (error) {
    if (!(error instanceof GraphQLError) || !error.message.includes('tokens')) throw error;
    throw refusal(new PosternError('too_costly', `Too long: a document may have ${documentLimits.tokens} tokens`));
  }
}

function findFault(document: DocumentNode): GraphQLError | null {
  const counts = { aliases: 0, directives: 0 };
  visit(document, {
    Field: ({ alias }) => {
      if (alias) counts.aliases += 1;
    },
    Directive: () => {
      counts.directives += 1;
    },
  });
  for (const name of ['aliases', 'directives'] as const) {
    if (counts[name] > documentLimits[name]) {
      const message = `Too many ${name}: a document may have ${documentLimits[name]}`;
      return refusal(new PosternError('too_costly', message));
    }
  }
  return null;
}
