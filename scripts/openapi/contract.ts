import document from '../../schema/sandbox.openapi.json' with { type: 'json' };
import type { Operation } from '../../src/sandbox/http/operation.ts';
import { operations } from '../../src/sandbox/operations/table.ts';
import { xOperations } from '../../src/sandbox/x/operations.ts';
import { contracts, type OperationContract, type Schema } from './sandbox-contracts.ts';

/** Maps each path prefix that ends in a variable to the component that describes the variable. */
const partsOfPaths: Readonly<Record<string, string>> = {
  '/sandbox/realms/{realm}': 'Realm',
  '/sandbox/users/{id}': 'UserId',
  '/sandbox/articles/{id}': 'ArticleId',
};

/**
 * Generates the paths of schema/sandbox.openapi.json, the contract of what the sandbox offers beside X's API. The rest
 * of the document, with the components, is written by hand.
 */
export function contractDocument(): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const operation of [...operations, ...xOperations]) {
    const { id, path, method } = operation;
    const contract = contracts[id];
    if (contract) paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation, contract) };
  }
  return { ...document, paths };
}

const tags = [
  ['/control/', 'control'],
  ['/sandbox/realms/', 'realms'],
  ['/sandbox/', 'extensions'],
  ['/i/oauth2/', 'sign-in'],
  ['/2/oauth2/', 'sign-in'],
] as const;

function describe({ id, path, access }: Operation, contract: OperationContract): Schema {
  const { summary, description, parameters = [], body, responses } = contract;
  const all = [...partsOf(path), ...parameters].map((each) => component('parameters', each));
  const answered = Object.entries(responses).map(([status, each]) => [status, component('responses', each)]);
  return {
    operationId: id,
    tags: [tags.find(([prefix]) => path.startsWith(prefix))?.[1]],
    summary,
    ...(description !== undefined && { description }),
    ...((access === 'control' || access === 'open') && { security: [] }),
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
  if (!(named in document.components[kind])) throw new Error(`schema/sandbox.openapi.json has no ${kind}/${named}`);
  return { $ref: `#/components/${kind}/${named}` };
}
