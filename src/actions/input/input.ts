import type { z } from 'zod';
import { fieldAt, malformedField, missingField } from '../../shared/errors/fields.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';

type Input = Record<string, unknown>;

/**
 * Checks raw input against an action's schema. Throws `bad_input` naming the first field that is wrong. `null` for an
 * optional field means that the field is left out (docs/rest.md, Requests).
 */
export function checkInput<I extends z.ZodObject>(schema: I, raw: Input): z.output<I> {
  const given = withoutNulls(schema, raw);
  for (const [name, value] of Object.entries(given)) {
    if (holdsNul(value) && fieldOf(schema, name)) throw malformedField(name, noNul);
  }
  const result = schema.safeParse(given, { error: reasonOf });
  if (result.success) return result.data;
  throw firstFault(result.error.issues, schema, given);
}

/** Drops the fields that are `null`, except those whose schema gives `null` a meaning. */
function withoutNulls(schema: z.ZodObject, raw: Input): Input {
  const entries = Object.entries(raw);
  const given = entries.filter(([name, value]) => value !== null || fieldOf(schema, name)?.safeParse(null).success);
  return given.length === entries.length ? raw : Object.fromEntries(given);
}

/** Returns the schema of a field; `undefined` if the action has no such field. Inherited names such as `constructor` are none. */
function fieldOf({ shape }: z.ZodObject, name: string): z.ZodType | undefined {
  return Object.hasOwn(shape, name) ? (shape[name] as z.ZodType) : undefined;
}

export const noNul = 'must not contain the character NUL (U+0000)';

/** The platform cannot store NUL in a text. Inputs consist of texts, numbers and lists of them. */
function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return Array.isArray(value) && value.some(holdsNul);
}

function firstFault(issues: readonly z.core.$ZodIssue[], schema: z.ZodObject, raw: Input): PosternError {
  const issue = issues[0];
  if (!issue) return new PosternError('malformed_field', 'Malformed input');
  const field = fieldAt(issue.path);
  const value = issue.path.reduce<unknown>((inner, key) => Object(inner)[key], raw);
  if (issue.code === 'custom' && issue.params?.['isMissing'] === true) {
    return missingFields((issue.params['alternatives'] as string[] | undefined) ?? [field], schema, raw);
  }
  if (value === undefined || (value === '' && issue.code === 'too_small' && isRequired(schema, issue.path))) {
    return missingFields([field], schema, raw);
  }
  return malformedField(field, issue.message);
}

/** Returns an error that names every alternative. If the caller sent one of them in another spelling, the message mentions it. */
function missingFields(fields: readonly string[], schema: z.ZodObject, raw: Input): PosternError {
  const [first = ''] = fields;
  const unknown = Object.keys(raw).filter((name) => name.length <= longestSpelling && !fieldOf(schema, name));
  const all = fields.length > 1 ? `${fields.slice(0, -1).join(', ')} or ${fields.at(-1)}` : first;
  for (const field of fields) {
    const sent = unknown.find((name) => spellingKey(name) === spellingKey(field));
    if (sent === undefined) continue;
    return missingField(first, `${all}: it was sent as ${sent}, and this endpoint takes ${field}`);
  }
  return missingField(first, all);
}

/** Longer names are not compared with the names of fields. */
const longestSpelling = 64;

/** Returns one key for all spellings of a name, such as `userName`, `user_name` and `username`. */
function spellingKey(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

function isRequired(schema: z.ZodObject, [field = '']: readonly PropertyKey[]): boolean {
  return fieldOf(schema, String(field))?.safeParse(undefined).success === false;
}

/** The reason for an issue whose schema has no text of its own. */
function reasonOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' || issue.expected === 'number'
        ? 'must be a whole number'
        : `must be ${/^[aeiou]/.test(String(issue.expected)) ? 'an' : 'a'} ${issue.expected}`;
    case 'invalid_value':
      return `must be ${(issue.values as unknown[]).join(' or ')}`;
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1
        ? 'must not be empty'
        : `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    default:
      return 'has the wrong form';
  }
}

type Check = (context: z.core.ParsePayload<Record<string, unknown>>) => void;

/** An issue for checks of a whole input: one of these fields is required because of the other fields. */
export function missing(fields: readonly [string, ...string[]], input: unknown): z.core.$ZodRawIssue {
  const params = { isMissing: true, alternatives: fields };
  return { code: 'custom', path: [fields[0]], message: 'is missing', params, input };
}

/** How many of these fields an input may hold. */
export interface Alternatives {
  readonly fields: readonly string[];
  readonly atLeast: number;
  readonly atMost: number;
}

function check(
  fields: readonly [string, ...string[]],
  atLeast: number,
  atMost: number,
): Check & { alternatives: Alternatives } {
  const run: Check = (context) => {
    const given = fields.filter((field) => context.value[field] !== undefined);
    if (given.length >= atLeast && given.length <= atMost) return;
    if (given.length === 0) {
      context.issues.push(missing(fields, context.value));
      return;
    }
    const path = [given[0] as string];
    const message = `give only one of ${given.join(' and ')}`;
    context.issues.push({ code: 'custom', path, message, input: context.value });
  };
  return Object.assign(run, { alternatives: { fields, atLeast, atMost } });
}

/** Returns the alternatives that the checks below added to a schema. The documents of the APIs list them. */
export function alternativesOf(schema: z.ZodObject): Alternatives[] {
  return (schema.def.checks ?? []).flatMap(({ _zod: { check: run } }) =>
    'alternatives' in run ? [run.alternatives as Alternatives] : [],
  );
}

/** A check of a schema: at least one of the fields is required. If several are given, the action decides which counts. */
export const anyOf = (...fields: [string, ...string[]]): Check => check(fields, 1, fields.length);

/** A check of a schema: at most one of the fields is allowed. */
export const atMostOneOf = (...fields: [string, ...string[]]): Check => check(fields, 0, 1);

/** A check of a schema: exactly one of the fields is required. */
export const oneOf = (...fields: [string, ...string[]]): Check => check(fields, 1, 1);
