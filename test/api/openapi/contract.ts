import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';
import type { Action } from '../../../src/actions/action.ts';

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  description?: string;
  required?: boolean;
  schema: Record<string, unknown>;
  example?: unknown;
}

interface Content {
  'application/json': { schema: { properties: Record<string, { description?: string }> }; example: unknown };
  'text/event-stream'?: { example: string };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { description?: string; content: Content };
  'x-alternatives'?: { fields: string[]; minimum: number; maximum: number }[];
  responses: Record<string, OperationResponse>;
}

interface OperationResponse {
  $ref?: string;
  headers?: Record<string, unknown>;
  content?: Content;
  links?: Record<string, Link>;
}

interface Link {
  operationId: string;
  parameters: Record<string, string>;
}

interface Contract {
  openapi: string;
  info: { version: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: object }>;
  components: Record<'responses' | 'headers' | 'schemas', Record<string, { content?: Content }>> & {
    parameters: Record<string, Parameter>;
  };
}

/** The checked-in API description. */
export const contract = JSON.parse(
  readFileSync(new URL('../../../schema/openapi.json', import.meta.url), 'utf8'),
) as Contract;

const ajv = new Ajv2020({ allErrors: true, strict: false });
// The cast is needed because the plugin's types describe its CommonJS form.
(formatsPlugin as unknown as (target: Ajv2020) => void)(ajv);
ajv.addSchema(contract, 'api');
// Callers must ignore unknown fields, but the tests must detect them.
ajv.addSchema(closed(contract) as object, 'closed');

export function operationOf(action: Action): Operation {
  const operation = contract.paths[action.path]?.[action.method.toLowerCase()];
  if (!operation) throw new Error(`the document lacks ${action.name}`);
  return operation;
}

/** Returns the differences between a response and the document, including undeclared fields. */
export function answerFaults(action: Action, status: number, body: unknown): string[] {
  const response = operationOf(action).responses[status];
  if (!response) return [`${action.name} is not said to answer ${status}`];
  const at = response.$ref?.slice(1) ?? `${pointerTo(action)}/responses/${status}`;
  return faults(ajv.compile({ $ref: `closed#${at}/content/application~1json/schema` }), body);
}

/** Returns the differences between a request body and the document. */
export function requestFaults(action: Action, body: unknown): string[] {
  return faults(ajv.compile({ $ref: `api#${pointerTo(action)}/requestBody/content/application~1json/schema` }), body);
}

/** Returns the differences between a parameter's value and the document. */
export function parameterFaults({ schema }: Parameter, value: unknown): string[] {
  return schemaFaults(schema, value);
}

/** Returns the differences between a value and a schema of the document. */
export function schemaFaults(schema: object, value: unknown): string[] {
  return faults(ajv.compile(schema), value);
}

function faults(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function pointerTo({ path, method }: Action): string {
  return `/paths/${encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))}/${method.toLowerCase()}`;
}

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closed(item)]));
  return inner['type'] === 'object' && 'properties' in inner ? { ...inner, additionalProperties: false } : inner;
}
