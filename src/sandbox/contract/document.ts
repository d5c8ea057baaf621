import type { Operation } from '../http/operation.ts';
import { operations } from '../operations/table.ts';
import base from './base.json' with { type: 'json' };
import type { Schema } from './schema.ts';

/** Maps each path prefix that ends in a variable to the parameter of `base.json` that describes the variable. */
const partsOfPaths: Readonly<Record<string, keyof (typeof base)['components']['parameters']>> = {
  '/api/users/{id}': 'UserId',
  '/api/users/by/{screen_name}': 'ScreenName',
  '/api/lists/{id}': 'ListId',
  '/api/tweets/{id}': 'TweetId',
  '/api/articles/{id}': 'ArticleId',
  '/api/media/{id}': 'MediaId',
  '/api/chat/conversations/{id}': 'ConversationId',
  '/api/chat/conversations/{id}/messages/{seq_id}': 'SeqId',
  '/api/chat/media/{media_hash_key}': 'MediaHashKey',
  '/realms/{realm}': 'Realm',
};

/** Generates schema/platform.openapi.json, the contract between the gateway and the sandbox. */
export function contractDocument(): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return { ...base, paths };
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
    if (name === undefined) throw new Error(`src/sandbox/contract/document.ts has no parameter for ${part} of ${path}`);
    return name;
  });
}

function component(kind: string, named: string | Schema): Schema {
  return typeof named === 'string' ? { $ref: `#/components/${kind}/${named}` } : named;
}
