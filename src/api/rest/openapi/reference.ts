import type { JsonObject } from './json.ts';

/** A reference to a shared part of the document. */
export function reference(kind: 'schemas' | 'responses' | 'headers' | 'parameters', name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}
