import { describe, expect, test } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import { alternativesOf } from '../../../src/actions/input/input.ts';
import { actions, streams } from '../../../src/actions/registry.ts';
import {
  answerFaults,
  contract,
  operationOf,
  type Parameter,
  parameterFaults,
  requestFaults,
  schemaFaults,
} from './contract.ts';

const all = [...actions, ...streams];
const each = all.map((action) => [action.name, action] as const);

interface Field {
  name: string;
  required: boolean;
  schema: FieldSchema;
  examples: unknown[];
}

interface FieldSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  examples?: unknown[];
  items?: FieldSchema;
}

/** Returns all parameters and body fields with their examples in the document. */
function fieldsOf(action: Action): Field[] {
  const { parameters = [], requestBody } = operationOf(action);
  const shared = contract.components.parameters;
  const named = parameters.map((each) =>
    'name' in each ? each : (shared[each.$ref.replace(/^.*\//, '')] as Parameter),
  );
  const { properties = {}, required = [] } = (requestBody?.content['application/json'].schema ?? {}) as {
    properties?: Record<string, FieldSchema>;
    required?: string[];
  };
  const field = (name: string, isRequired: boolean, given: FieldSchema, example?: unknown): Field => {
    const schema = resolved(given);
    const examples = [...(example === undefined ? [] : [example]), ...(schema.examples ?? [])];
    return { name, required: isRequired, schema, examples };
  };
  return [
    ...named.map(({ name, required: needed, schema, example }) => field(name, needed === true, schema, example)),
    ...Object.entries(properties).map(([name, schema]) => field(name, required.includes(name), schema)),
  ];
}

function resolved({ $ref, ...schema }: FieldSchema): FieldSchema {
  if ($ref === undefined) return schema;
  return { ...(contract.components.schemas[$ref.replace(/^.*\//, '')] as FieldSchema), ...schema };
}

/** Returns the string schemas of a field or of its items. */
function textsOf(schema: FieldSchema): FieldSchema[] {
  if (schema.items) return textsOf(resolved(schema.items));
  return [schema.type].flat().includes('string') ? [schema] : [];
}

function ownParameters(action: Action): Parameter[] {
  return (operationOf(action).parameters ?? []).filter((parameter) => 'name' in parameter);
}

describe('the API description', () => {
  test('is OpenAPI 3.1, version 1.0.0', () => {
    expect(contract.openapi).toMatch(/^3\.1\./);
    expect(contract.info.version).toBe('1.0.0');
  });

  test('has every action and nothing else', () => {
    const described = Object.entries(contract.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(all.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test('links what an answer holds to the calls that take it as a parameter', () => {
    const operations = new Map(all.map((action) => [operationOf(action).operationId, action]));
    const targets = all.flatMap((action) => {
      const { links = {}, content } = operationOf(action).responses['200'] ?? {};
      const { data } = (content?.['application/json']?.example ?? {}) as { data: Record<string, unknown> };
      return Object.values(links).map(({ operationId, parameters }) => {
        const target = operations.get(operationId);
        if (target === undefined) throw new Error(`no operation ${operationId}`);
        expect(ownParameters(target).map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(parameters)));
        for (const expression of Object.values(parameters)) {
          const [, pointer = ''] = /^\$response\.body#\/data\/([\w/]+)$/.exec(expression) ?? [];
          const found = pointer.split('/').reduce<unknown>((inner, key) => Object(inner)[key], data);
          expect(found, `${action.name} ${pointer}`).toEqual(expect.any(String));
        }
        return target.name;
      });
    });
    const linked = ['tweet/detail', 'user/followers', 'article/detail', 'dm/messages', 'webhooks/test'];
    expect(targets).toEqual(expect.arrayContaining(linked));
  });

  test('gives each operation a name of its own', () => {
    const names = all.map((action) => operationOf(action).operationId);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe.each(each)('%s', (_name, action) => {
  const operation = operationOf(action);
  const body = operation.requestBody?.content['application/json'];

  test('says in words what it is and takes', () => {
    expect(operation.summary).toBe(action.summary);
    expect(operation.description).toMatch(/(Free|Costs \d)/);
    expect(contract.tags.map(({ name }) => name)).toEqual(expect.arrayContaining(operation.tags));
    const described = [
      ...ownParameters(action).map(({ name, description }) => ({ name, description })),
      ...Object.entries(body?.schema.properties ?? {}).map(([name, { description }]) => ({ name, description })),
    ];
    expect(described.filter(({ description }) => !description)).toEqual([]);
    const taken = described.map(({ name }) => name);
    expect(taken).toEqual(expect.arrayContaining(Object.keys(action.input.shape)));
    if (action.actor || action.keepsActor) expect(taken).toEqual(expect.arrayContaining(['auth_token', 'proxy']));
    for (const { fields } of alternativesOf(action.input)) {
      for (const field of fields) expect(operation.description).toContain(`\`${field}\``);
    }
  });

  test('shows a request that it takes', () => {
    if (body) expect(requestFaults(action, body.example)).toEqual([]);
    for (const parameter of ownParameters(action)) {
      if (parameter.example !== undefined) expect(parameterFaults(parameter, parameter.example)).toEqual([]);
    }
  });

  test('shows an example of every field that is neither a flag nor a choice', () => {
    const isClear = ({ schema, examples }: Field): boolean => {
      if (schema.items && examples.length === 0) {
        const items = resolved(schema.items);
        return isClear({ name: '', required: true, schema: items, examples: items.examples ?? [] });
      }
      return examples.length > 0 || schema.enum !== undefined || [schema.type].flat().includes('boolean');
    };
    const fields = fieldsOf(action);
    expect(fields.filter((field) => !isClear(field)).map(({ name }) => name)).toEqual([]);
    for (const { name, schema, examples } of fields) {
      for (const example of examples) expect(schemaFaults(schema, example), name).toEqual([]);
      for (const text of textsOf(schema)) {
        for (const example of text.examples ?? []) expect(schemaFaults(text, example), name).toEqual([]);
      }
    }
  });

  test('excludes NUL from every text', () => {
    for (const { name, schema } of fieldsOf(action)) {
      for (const text of textsOf(schema)) expect(schemaFaults(text, 'a\0b'), name).not.toEqual([]);
    }
  });

  test('allows null for the optional fields of a body, and for no other field', () => {
    if (!body) return;
    const names = Object.keys(body.schema.properties);
    for (const { name, required, schema } of fieldsOf(action).filter((field) => names.includes(field.name))) {
      expect(schemaFaults(schema, null).length === 0, name).toBe(!required);
    }
  });

  test('shows an answer that is as described', () => {
    if (action.kind === 'stream') {
      const [, data] =
        /^data: (.*)$/m.exec(operation.responses['200']?.content?.['text/event-stream']?.example ?? '') ?? [];
      expect(() => action.output.parse(JSON.parse(data ?? ''))).not.toThrow();
      return;
    }
    const example = operation.responses['200']?.content?.['application/json'].example as { data: unknown };
    expect(answerFaults(action, 200, example)).toEqual([]);
    expect(() => action.output.parse(example.data)).not.toThrow();
  });

  test('names the refusals that apply to it', () => {
    const statuses = Object.keys(operation.responses);
    expect(statuses).toEqual(expect.arrayContaining(['200', '400', '401', '429', '431', '500', '503']));
    expect(statuses).toContain('403');
    expect(statuses.includes('402')).toBe(action.price > 0);
    const asksPlatform = action.actor || action.keepsActor || /^connections\/(create|reconnect)$/.test(action.name);
    for (const status of ['501', '502', '504']) expect(statuses.includes(status)).toBe(asksPlatform);
    expect(statuses.includes('404')).toBe(
      action.kind === 'call' &&
        Object.keys(action.input.shape).some((field) => /id$|.name$|_url$|^connections$/i.test(field)),
    );
    for (const status of ['413', '415']) expect(statuses.includes(status)).toBe(action.method !== 'GET');
    expect(statuses.includes('422')).toBe(action.method === 'POST');
    // Only actions without encrypted messages, which may conflict with others in more ways.
    if (action.code === 'none')
      expect(statuses.includes('409')).toBe(action.method === 'POST' || action.name === 'webhooks/update');
  });
});
