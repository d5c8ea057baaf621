import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { GraphQLError } from 'graphql';
import { malformedField, missingField } from '../../../shared/errors/fields.ts';
import { PosternError } from '../../../shared/errors/postern-error.ts';
import type { Params } from '../read-params.ts';
import { schema } from '../schema/schema.ts';
import { checkDocument } from './check-document.ts';

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
  const reasonOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown));
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw invalidFile(`cannot be read as JSON (${reasonOf(cause)})`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw invalidFile('is not a JSON object');
  const documents = new Map<string, string>();
  for (const [hash, text] of Object.entries(parsed)) {
    if (typeof text !== 'string') throw invalidFile(`has no text under ${hash}`);
    const found = createHash('sha256').update(text).digest('hex');
    if (found !== hash) throw invalidFile(`has a document under ${hash} whose SHA-256 is ${found}`);
    try {
      checkDocument(text, schema, true);
    } catch (error) {
      throw invalidFile(`has a document under ${hash} that is not valid: ${reasonOf(error)}`);
    }
    documents.set(hash, text);
  }
  return documents;
}

/**
 * Returns the text of the document that a request contains, or names by its hash: `documentId` (GraphQL over HTTP, appendix on persisted
 * documents), or `extensions.persistedQuery` of Apollo. If the request contains a text and a hash, the text is used.
 */
export function documentText({ documentId, query, extensions }: Params, trusted: TrustedDocuments | null): string {
  if (query != null) {
    if (trusted?.only) throw new PosternError('untrusted_document', `Unexpected field: query: ${onlyTrusted}`);
    return query as string;
  }
  const persisted = (extensions as Record<string, { sha256Hash?: unknown }> | null | undefined)?.['persistedQuery'];
  const id = documentId ?? persisted?.sha256Hash;
  if (id == null) {
    const field = trusted?.only ? 'documentId' : 'query';
    throw missingField(field, trusted?.only ? `${field}: ${onlyTrusted}` : field);
  }
  const field = documentId == null ? 'extensions.persistedQuery.sha256Hash' : 'documentId';
  const hash = typeof id === 'string' ? /^(?:sha256:)?([\da-f]{64})$/i.exec(id)?.[1] : undefined;
  if (!hash) throw malformedField(field, 'must be a SHA-256 in hex');
  const text = trusted?.documents.get(hash.toLowerCase());
  if (text === undefined) throw documentId == null ? unknownPersisted(trusted) : unknownDocument(trusted);
  return text;
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
  const message = trusted ? 'PersistedQueryNotFound' : 'PersistedQueryNotSupported';
  const originalError = new PosternError('untrusted_document', message);
  return new GraphQLError(message, { extensions: { hint: hintFor(trusted) }, originalError });
}
