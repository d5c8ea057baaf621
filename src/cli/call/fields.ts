import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { Action } from '../../actions/action.ts';
import { endpointOf } from '../../actions/endpoint.ts';
import { didYouMean } from '../../shared/errors/nearest.ts';
import { printable } from '../../shared/model/printable.ts';
import { CliError } from '../print.ts';

/** A JSON Schema, as far as this module reads it. */
interface Schema {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  pattern?: string;
  items?: Schema;
  anyOf?: readonly Schema[];
  $ref?: string;
}

/** An input field of an action. */
export interface Field {
  name: string;
  /** `file` is text in base64. */
  type: 'text' | 'number' | 'boolean' | 'list' | 'object' | 'file';
  required: boolean;
  /** The field accepts `null`. */
  nullable: boolean;
  /** The accepted values of a text or of the items of a list; empty if there are others. */
  values: readonly string[];
  /** True if no item of the list can contain a comma, so that commas can separate the items. */
  hasPlainItems: boolean;
  default: unknown;
  description: string;
}

const maxFileBytes = 17 * 1024 * 1024;

export function fieldsOf(action: Action): Field[] {
  const schema = z.toJSONSchema(action.input, { io: 'input', unrepresentable: 'any' });
  const { properties = {}, required = [], $defs = {} } = schema;
  const { bytes = [] } = endpointOf(action);
  return Object.entries(properties as Record<string, Schema>).map(([name, given]) => {
    const variants = (given.anyOf ?? [given]).map((one) => ({ ...given, ...one, ...referred(one, $defs) }));
    const [main = given] = variants.filter(({ type }) => type !== 'null');
    const item = main.type === 'array' ? (main.items ?? {}) : main;
    return {
      name,
      type: bytes.includes(name) ? 'file' : typeOf(main),
      required: required.includes(name),
      nullable: variants.some(({ type }) => type === 'null'),
      values: (item.enum ?? []).map(String),
      hasPlainItems: item.enum !== undefined || item.pattern !== undefined,
      default: given.default,
      description: given.description ?? main.description ?? '',
    };
  });
}

function referred({ $ref = '' }: Schema, definitions: Record<string, unknown>): Schema {
  return (definitions[$ref.split('/').at(-1) ?? ''] as Schema | undefined) ?? {};
}

function typeOf({ type }: Schema): Field['type'] {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array') return 'list';
  return type === 'boolean' || type === 'object' ? type : 'text';
}

/**
 * Reads an input from arguments: `name=value`, or `name@file` for the content of a file. Throws `CliError` if an argument has another form,
 * or is not a field of the action.
 */
export async function readInput(action: Action, args: readonly string[]): Promise<Record<string, unknown>> {
  const fields = fieldsOf(action);
  const input: Record<string, unknown> = {};
  for (const arg of args) {
    const [, name = '', sign = '', text = ''] = /^([\w-]+)([=@])([\s\S]*)$/.exec(arg) ?? [];
    if (name === '') throw new CliError(`"${arg}" must be name=value, or name@file for the content of a file`);
    const field = findField(fields, action, name);
    const value =
      sign === '@' || (field.type === 'file' && text.startsWith('@'))
        ? await readFile(field, sign === '@' ? text : text.slice(1))
        : readValue(field, text);
    if (field.type === 'list' && Array.isArray(input[name])) (input[name] as unknown[]).push(...(value as unknown[]));
    else if (name in input) throw new CliError(`${name} is given twice`);
    else input[name] = value;
  }
  return input;
}

const credentials = ['auth_token', 'proxy', 'encryption_code', 'api_key'];

function findField(fields: readonly Field[], action: Action, name: string): Field {
  const field = fields.find((each) => each.name === name);
  if (field) return field;
  if (credentials.includes(name))
    throw new CliError(`${name} is not a field: give credentials in the environment (--help)`);
  const names = fields.map((each) => each.name);
  const known = names.length === 0 ? 'It has no fields' : `Its fields are ${names.join(', ')}`;
  throw new CliError(`${action.name} has no field ${name}${didYouMean(name, names)} ${known}`);
}

function readValue(field: Field, text: string): unknown {
  const { name, type, nullable, hasPlainItems } = field;
  if (nullable && text === 'null') return null;
  if (type === 'number') {
    if (text.trim() === '' || !Number.isFinite(Number(text)))
      throw new CliError(`${name} must be a number, not "${shortened(text)}"`);
    return Number(text);
  }
  if (type === 'boolean') {
    if (text !== 'true' && text !== 'false')
      throw new CliError(`${name} must be true or false, not "${shortened(text)}"`);
    return text === 'true';
  }
  if (type === 'object') return parseJson(name, text);
  if (type !== 'list') return text;
  if (text.startsWith('[')) return parseJson(name, text);
  return hasPlainItems ? text.split(',') : [text];
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError(`${name} is not valid JSON: ${shortened(text)}`);
  }
}

/** Cuts a text for a message, because it may be the content of a large file. */
function shortened(text: string): string {
  return text.length <= 60 ? printable(text) : `${printable(text.slice(0, 60))}…`;
}

/** Reads a file, or standard input if the path is `-`. */
async function readFile(field: Field, path: string): Promise<unknown> {
  try {
    const isTooLarge = path !== '-' && statSync(path).size > maxFileBytes;
    const bytes = isTooLarge ? null : readFileSync(path === '-' ? 0 : path);
    if (bytes === null || bytes.length > maxFileBytes)
      throw new CliError(`${field.name}: the file is larger than 17 MiB: send it by its URL`);
    return field.type === 'file' ? await withType(bytes) : readValue(field, bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${field.name}: ${(error as Error).message}`);
  }
}

/** Returns the file with its media type, which is detected from its bytes. */
async function withType(bytes: Buffer): Promise<Blob> {
  const { identify, headBytes } = await import('../../media/identify.ts');
  const { type } = await identify(bytes.subarray(0, headBytes), [], ['file']);
  return new Blob([new Uint8Array(bytes)], { type });
}
