import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse, validate } from 'graphql';
import { schema } from './schema/schema.ts';

/**
 * Reads documents by their hash from a JSON file, `{ "<SHA-256, hex>": "<document>" }`. Throws an `Error` for people where
 * one of them is not what its hash says, or is not valid for this schema.
 */
export function readTrustedDocuments(path: string): ReadonlyMap<string, string> {
  const fault = (reason: string) => new Error(`GRAPHQL_TRUSTED_DOCUMENTS: ${path} ${reason}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw fault(`cannot be read as JSON (${cause instanceof Error ? cause.message : cause})`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw fault('is not a JSON object');
  const documents = new Map<string, string>();
  for (const [hash, text] of Object.entries(parsed)) {
    if (typeof text !== 'string') throw fault(`has no text under ${hash}`);
    const found = createHash('sha256').update(text).digest('hex');
    if (found !== hash) throw fault(`has a document under ${hash} whose SHA-256 is ${found}`);
    const invalid = invalidity(text);
    if (invalid !== null) throw fault(`has a document under ${hash} that is not valid: ${invalid}`);
    documents.set(hash, text);
  }
  return documents;
}

function invalidity(text: string): string | null {
  try {
    return validate(schema, parse(text))[0]?.message ?? null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
