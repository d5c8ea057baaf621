import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Params } from '../read-params.ts';
import { schema } from '../schema/schema.ts';
import { checkDocument } from './check-document.ts';
import { documentText, type TrustedDocuments } from './trusted-documents.ts';

/** Finds, parses and validates the documents of requests. Caches the results by document text. */
export class Documents {
  readonly #trusted: TrustedDocuments | null;
  readonly #introspection: boolean;
  readonly #known = new LRUCache<string, { document: DocumentNode } | { refusal: unknown }>({
    max: 1_000,
    // The unit is a character of document text.
    maxSize: 1_000_000,
    sizeCalculation: (_value, text) => Math.max(1, text.length),
  });

  constructor({ trusted, introspection }: { trusted: TrustedDocuments | null; introspection: boolean }) {
    this.#trusted = trusted;
    this.#introspection = introspection;
  }

  /** Returns the parsed document of a request. Throws `PosternError`, `GraphQLError` or an `AggregateError` of `GraphQLError`s. */
  documentOf(params: Params): DocumentNode {
    const text = documentText(params, this.#trusted);
    const known = this.#known.get(text) ?? this.#check(text);
    if ('refusal' in known) throw known.refusal;
    return known.document;
  }

  #check(text: string) {
    let checked: { document: DocumentNode } | { refusal: unknown };
    try {
      checked = { document: checkDocument(text, schema, this.#introspection) };
    } catch (refusal) {
      checked = { refusal };
    }
    this.#known.set(text, checked);
    return checked;
  }
}
