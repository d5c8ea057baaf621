import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { refusal } from './errors.ts';
import { parseWithin, validateWithin } from './limits.ts';
import { schema } from './schema/schema.ts';

/** Documents that callers may send by their hash. If `only` is true, all other documents are refused. */
export interface TrustedDocuments {
  readonly documents: ReadonlyMap<string, string>;
  readonly only: boolean;
}

/**
 * Reads trusted documents from a JSON file of the form `{ "<SHA-256, hex>": "<document>" }`. Throws an `Error` with a message for the
 * operator if a document does not match its hash or is invalid for this schema.
 */
export function readTrustedDocuments(path: string): ReadonlyMap<string, string> {
  const invalidFile = (reason: string) => new Error(`GRAPHQL_TRUSTED_DOCUMENTS: ${path} ${reason}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw invalidFile(`cannot be read as JSON (${cause instanceof Error ? cause.message : cause})`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw invalidFile('is not a JSON object');
  const documents = new Map<string, string>();
  for (const [hash, text] of Object.entries(parsed)) {
    if (typeof text !== 'string') throw invalidFile(`has no text under ${hash}`);
    const found = createHash('sha256').update(text).digest('hex');
    if (found !== hash) throw invalidFile(`has a document under ${hash} whose SHA-256 is ${found}`);
    const invalid = invalidity(text);
    if (invalid !== null) throw invalidFile(`has a document under ${hash} that is not valid: ${invalid}`);
    documents.set(hash, text);
  }
  return documents;
}

function invalidity(text: string): string | null {
  try {
    return validateWithin(schema, parseWithin(text))[0]?.message ?? null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Creates a plugin that replaces a document's hash in a request with the document. The hash is `documentId` (GraphQL over HTTP, appendix on
 * persisted documents), or `extensions.persistedQuery` of Apollo. If the request contains the text of a document too, the text is used.
 */
export function takeTrustedDocuments(trusted: TrustedDocuments | null): Plugin {
  return {
    onParams({ params, setParams }) {
      const { documentId, query, ...rest } = params as typeof params & { documentId?: unknown };
      if (query != null) {
        if (trusted?.only) throw new PosternError('untrusted_document', `Unexpected field: query: ${onlyTrusted}`);
        return;
      }
      const persisted = (rest.extensions as Record<string, { sha256Hash?: unknown }> | null)?.['persistedQuery'];
      const id = documentId ?? persisted?.sha256Hash;
      if (id == null) {
        throw new PosternError(
          'missing_field',
          trusted?.only ? `Missing required field: documentId: ${onlyTrusted}` : 'Missing required field: query',
        );
      }
      const field = documentId == null ? 'extensions.persistedQuery.sha256Hash' : 'documentId';
      const hash = typeof id === 'string' ? /^(?:sha256:)?([\da-f]{64})$/i.exec(id)?.[1] : undefined;
      if (!hash)
        throw new PosternError('malformed_field', `Malformed field: ${field}: must be a SHA-256 in hex`, { field });
      const text = trusted?.documents.get(hash.toLowerCase());
      if (text === undefined) throw documentId == null ? unknownPersisted(trusted) : unknownDocument(trusted);
      setParams({ ...rest, query: text });
    },
  };
}

const onlyTrusted = 'this server takes trusted documents only, by documentId ("sha256:<hex>")';

function hintFor(trusted: TrustedDocuments | null): string {
  if (!trusted) return 'this server has no trusted documents: send the text as query';
  return `this server has no document of that SHA-256${trusted.only ? '' : ': send its text as query'}`;
}

function unknownDocument(trusted: TrustedDocuments | null): PosternError {
  return new PosternError('untrusted_document', `PersistedQueryNotFound: ${hintFor(trusted)}`, { field: 'documentId' });
}

/** The message must be exactly one of these two, because Apollo's clients compare it before they send the full text. */
function unknownPersisted(trusted: TrustedDocuments | null): GraphQLError {
  const { extensions, originalError } = refusal(new PosternError('untrusted_document', ''));
  const message = trusted ? 'PersistedQueryNotFound' : 'PersistedQueryNotSupported';
  return new GraphQLError(message, { extensions: { ...extensions, hint: hintFor(trusted) }, originalError });
}
