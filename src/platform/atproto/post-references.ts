import { parseRecordUri } from './identifiers.ts';
import { collections } from './records.ts';

/** The maximum number of facets, and of features of one facet, that are read. */
const maxItems = 50;

/** The references of a post. The record is untrusted, so every field may be missing or have another type. */
export interface PostReferences {
  /** The URI of the parent post of a reply. */
  parent: unknown;
  /** The URI of the quoted record. */
  quoted: unknown;
  /** The DIDs of the mentioned accounts. */
  mentioned: unknown[];
}

export function referencesOf(record: unknown): PostReferences {
  const { reply, embed, facets } = fieldsOf(record);
  const embedded = fieldsOf(fieldsOf(embed)['record']);
  return {
    parent: fieldsOf(fieldsOf(reply)['parent'])['uri'],
    // A quote with media has the quoted record one level deeper.
    quoted: embedded['uri'] ?? fieldsOf(embedded['record'])['uri'],
    mentioned: listOf(facets).flatMap((facet) =>
      listOf(fieldsOf(facet)['features']).map((feature) => fieldsOf(feature)['did']),
    ),
  };
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, maxItems) : [];
}

/** Returns a post with its author, or `null` if the URI is not that of a post. */
export function postOf(uri: unknown): { uri: string; did: string } | null {
  const name = typeof uri === 'string' ? parseRecordUri(uri) : null;
  return typeof uri === 'string' && name?.collection === collections.post ? { uri, did: name.did } : null;
}
