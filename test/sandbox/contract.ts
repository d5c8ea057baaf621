import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formatsPlugin from 'ajv-formats';

interface Shape {
  readonly $ref?: string;
  readonly content?: { 'application/json'?: { schema: object } };
}

interface Method {
  readonly operationId: string;
  readonly responses: Record<string, Shape>;
  readonly requestBody?: Shape;
}

const file = new URL('../../schema/sandbox.openapi.json', import.meta.url);
export const contract = JSON.parse(readFileSync(file, 'utf8'));

const ajv = new Ajv2020({ allErrors: true, strict: false });
// The cast is needed because the plugin's types describe its CommonJS form.
(formatsPlugin as unknown as (target: Ajv2020) => void)(ajv);
ajv.addSchema(contract, 'platform');

const compiled = new Map<string, ValidateFunction>();

function validatorAt(pointer: string): ValidateFunction {
  const known = compiled.get(pointer);
  if (known !== undefined) return known;
  const validator = ajv.compile({ $ref: `platform#${pointer}` });
  compiled.set(pointer, validator);
  return validator;
}

/** Returns the differences between a response and the contract. */
export function violations(method: string, path: string, status: number, body: unknown): string[] {
  const template = templateOf(path.split('?')[0] ?? '');
  const operation: Method | undefined = template && contract.paths[template][method.toLowerCase()];
  if (operation === undefined) return check('/components/schemas/Problem', body);
  const key = status in operation.responses ? String(status) : 'default';
  if (key === 'default' && status < 400) return [`${operation.operationId} does not answer ${status}`];
  const reference = operation.responses[key]?.$ref?.slice(1);
  const at = reference ?? `/paths/${escaped(template ?? '')}/${method.toLowerCase()}/responses/${key}`;
  const type = reference?.endsWith('/Problem') ? 'problem+json' : 'json';
  return check(`${at}/content/application~1${type}/schema`, body);
}

function check(pointer: string, body: unknown): string[] {
  const validate = validatorAt(pointer);
  if (validate(body)) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

/** Paths without parameters are preferred to paths with parameters. */
function templateOf(path: string): string | undefined {
  const templates = Object.keys(contract.paths);
  return (
    templates.find((template) => template === path) ?? templates.find((template) => patternOf(template).test(path))
  );
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
}

function escaped(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}
