import document from '../../schema/platform.openapi.json' with { type: 'json' };
import type { Schema } from '../../src/sandbox/http/contract.ts';
import type { Operation } from '../../src/sandbox/http/operation.ts';
import { operations } from '../../src/sandbox/operations/table.ts';

/** Maps each path prefix that ends in a variable to the component that describes the variable. */
const partsOfPaths: Readonly<Record<string, string>> = {
  '/api/chat/conversations/{id}': 'ConversationId',
  '/api/chat/conversations/{id}/messages/{seq_id}': 'SeqId',
  '/api/chat/media/{media_hash_key}': 'MediaHashKey',
  '/realms/{realm}': 'Realm',
};

/**
 * Generates the paths of schema/platform.openapi.json, the contract between the gateway and the sandbox. The rest of the document, with the
 * components, is written by hand.
 */
export function contractDocument(): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return { ...document, paths };
}

function describe({ id, path, access, contract }: Operation): Schema {
  const { summary, description, parameters = [], body, responses } = contract;
  const all = [...partsOf(path), ...parameters].map((each) => component('parameters', each));
  const answered = Object.entries(responses).map(([status, each]) => [status, component('responses', each)]);
  return {
    operationId: id,
    tags: [access === 'control' ? 'control' : path.startsWith('/realms/') ? 'realms' : 'platform'],
    summary,
    ...(description !== undefined && { description }),
    ...(access !== 'actor' && { security: [] }),
    ...(all.length > 0 && { parameters: all }),
    ...(body !== undefined && { requestBody: component('requestBodies', body) }),
    responses: { ...Object.fromEntries(answered), default: component('responses', 'Problem') },
  };
}

function partsOf(path: string): string[] {
  return [...path.matchAll(/\{\w+\}/g)].map(({ 0: part, index }) => {
    const name = partsOfPaths[path.slice(0, index + part.length)];
    if (name === undefined) throw new Error(`scripts/openapi/contract.ts has no parameter for ${part} of ${path}`);
    return name;
  });
}

function component(kind: 'parameters' | 'requestBodies' | 'responses', named: string | Schema): Schema {
  if (typeof named !== 'string') return named;
  if (!(named in document.components[kind])) throw new Error(`schema/platform.openapi.json has no ${kind}/${named}`);
  return { $ref: `#/components/${kind}/${named}` };
}
