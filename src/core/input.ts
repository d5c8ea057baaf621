import type { z } from 'zod';
import { fieldAt, malformedField, missingField } from '../errors/fields.ts';
import { PosternError } from '../errors/postern-error.ts';

/** Checks raw input against an action's schema. Throws `bad_input` naming the first field at fault. */
export function checkInput<I extends z.ZodObject>(schema: I, raw: Record<string, unknown>): z.output<I> {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  throw firstFault(result.error.issues, schema, raw);
}

function firstFault(
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodObject,
  raw: Record<string, unknown>,
): PosternError {
  const issue = issues[0];
  if (!issue) return new PosternError('bad_input', 'Malformed input');
  const field = fieldAt(issue.path);
  const given = issue.path.reduce<unknown>((value, key) => Object(value)[key], raw);
  if (given === undefined) return missingField(field);
  if (issue.code === 'custom' && issue.params?.['isMissing'] === true) return missingField(field);
  if (given === '' && issue.code === 'too_small' && isRequired(schema, issue.path)) return missingField(field);
  return malformedField(field, issue.code === 'invalid_type' ? typeReason(issue.expected) : issue.message);
}

function isRequired(schema: z.ZodObject, [field = '']: readonly PropertyKey[]): boolean {
  return schema.shape[String(field)]?.safeParse(undefined).success === false;
}

function typeReason(expected: string): string {
  if (expected === 'int' || expected === 'number') return 'must be a whole number';
  return `must be ${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`;
}

type Check = (context: z.core.ParsePayload<Record<string, unknown>>) => void;

/** For checks of a whole input: this field is missing, because of what the others say. */
export function missing(field: string, input: unknown): z.core.$ZodRawIssue {
  return { code: 'custom', path: [field], message: 'is missing', params: { isMissing: true }, input };
}

/** How many of these fields an input may hold. */
export interface Alternatives {
  readonly fields: readonly string[];
  readonly atLeast: number;
  readonly atMost: number;
}

function check(fields: readonly string[], atLeast: number, atMost: number): Check & { alternatives: Alternatives } {
  const run: Check = (context) => {
    const given = fields.filter((field) => context.value[field] !== undefined);
    if (given.length >= atLeast && given.length <= atMost) return;
    const path = [(given[0] ?? fields[0]) as string];
    const message = `give only one of ${given.join(' and ')}`;
    context.issues.push({ code: 'custom', path, message, input: context.value });
  };
  return Object.assign(run, { alternatives: { fields, atLeast, atMost } });
}

/** The alternatives that a schema was given by the checks below; documents tell them. */
export function alternativesOf(schema: z.ZodObject): Alternatives[] {
  return (schema.def.checks ?? []).flatMap(({ _zod: { check: run } }) =>
    'alternatives' in run ? [run.alternatives as Alternatives] : [],
  );
}

/** For schemas of alternatives: at least one of the fields; which of them counts is the action's affair. */
export const anyOf = (...fields: string[]): Check => check(fields, 1, fields.length);

/** For schemas of alternatives: one of the fields, or none. */
export const atMostOneOf = (...fields: string[]): Check => check(fields, 0, 1);

/** For schemas of alternatives: exactly one of the fields. */
export const oneOf = (...fields: string[]): Check => check(fields, 1, 1);
