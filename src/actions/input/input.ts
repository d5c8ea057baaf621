import { z } from 'zod';
import type { UserReference } from '../../platform/port.ts';
import { fieldAt, malformedField, missingField } from '../../shared/errors/fields.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { numericId, screenName } from '../../shared/model/scalars.ts';

type Input = Record<string, unknown>;

/** A field of the input that the schema does not have. */
export interface UnknownField {
  readonly path: readonly PropertyKey[];
  /** The fields that the schema has at this place. */
  readonly known: readonly string[];
}

/**
 * Returns a raw input without `null` and unknown fields, and the list of the unknown fields. `null` stands for an absent field or item
 * (docs/rest.md, Requests), and stays only if its schema accepts it.
 */
export function knownInput(schema: z.ZodObject, raw: Input): { input: Input; unknown: UnknownField[] } {
  const unknown: UnknownField[] = [];
  return { input: knownPart(schema, raw, [], unknown) as Input, unknown };
}

function knownPart(schema: z.core.$ZodType, value: unknown, path: PropertyKey[], unknown: UnknownField[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const inner = innermost(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const { element } = inner;
    const items = acceptsNull(element) ? value : value.filter((item) => item !== null);
    // One item too many is enough for the refusal of a list that is too long.
    return items.slice(0, maxLength(inner) + 1).map((item, at) => knownPart(element, item, [...path, at], unknown));
  }
  if (!(inner instanceof z.ZodObject) || Array.isArray(value)) return value;
  const known = Object.keys(inner.shape);
  const input: Input = {};
  for (const [name, part] of Object.entries(value)) {
    const field = fieldOf(inner, name);
    if (!field) unknown.push({ path: [...path, name], known });
    else if (part !== null || acceptsNull(field)) input[name] = knownPart(field, part, [...path, name], unknown);
  }
  return input;
}

function maxLength({ def }: z.ZodArray): number {
  const isMaximum = (check: z.core.$ZodCheckDef): check is z.core.$ZodCheckMaxLengthDef => check.check === 'max_length';
  return def.checks?.map(({ _zod }) => _zod.def).find(isMaximum)?.maximum ?? Number.POSITIVE_INFINITY;
}

function acceptsNull(schema: z.core.$ZodType): boolean {
  return z.safeParse(schema, null).success;
}

/** Returns the schema inside wrappers such as `optional`. */
export function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod;
  return 'innerType' in def ? innermost(def.innerType as z.core.$ZodType) : schema;
}

/** Validates raw input against an action's schema. Throws `bad_input`, which names the first invalid field. */
export function checkInput<I extends z.ZodObject>(schema: I, raw: Input): z.output<I> {
  const { input } = knownInput(schema, raw);
  for (const [name, value] of Object.entries(input)) if (containsNul(value)) throw malformedField(name, noNul);
  const result = schema.safeParse(input, { error: reasonOf });
  if (result.success) return result.data;
  throw firstError(result.error.issues, schema, input);
}

/**
 * Returns the schema of a field, or `undefined` if the action has no such field. Inherited properties of the object,
 * such as `constructor`, are not fields.
 */
function fieldOf({ shape }: z.ZodObject, name: string): z.ZodType | undefined {
  return Object.hasOwn(shape, name) ? (shape[name] as z.ZodType) : undefined;
}

const noNul = 'must not contain the character NUL (U+0000)';

/** Returns true if a string or a list of strings contains NUL, which the platform cannot store. */
function containsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  return Array.isArray(value) && value.some(containsNul);
}

function firstError(issues: readonly z.core.$ZodIssue[], schema: z.ZodObject, raw: Input): PosternError {
  const issue = issues[0];
  if (!issue) return new PosternError('malformed_field', 'Malformed input');
  const field = fieldAt(issue.path);
  const value = issue.path.reduce<unknown>((inner, key) => Object(inner)[key], raw);
  if (issue.code === 'custom' && issue.params?.['isMissing'] === true) {
    return missingFields((issue.params['alternatives'] as string[] | undefined) ?? [field]);
  }
  if (value === undefined || (value === '' && issue.code === 'too_small' && isRequired(schema, issue.path))) {
    return missingFields([field]);
  }
  return malformedField(field, issue.message);
}

/** Returns an error that names all the alternative fields. */
function missingFields(fields: readonly string[]): PosternError {
  const [first = ''] = fields;
  return missingField(first, fields.length > 1 ? `${fields.slice(0, -1).join(', ')} or ${fields.at(-1)}` : first);
}

function isRequired(schema: z.ZodObject, [field = '']: readonly PropertyKey[]): boolean {
  return fieldOf(schema, String(field))?.safeParse(undefined).success === false;
}

/** Returns the error text for an issue whose schema has no text of its own. */
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

/** Returns an issue for a rule about several fields: one of `fields` is required. */
export function missing(fields: readonly [string, ...string[]], input: unknown): z.core.$ZodRawIssue {
  const params = { isMissing: true, alternatives: fields };
  return { code: 'custom', path: [fields[0]], message: 'is missing', params, input };
}

/** A rule about how many of several fields an input must and may contain. */
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

/** Returns the rules that `anyOf`, `atMostOneOf` and `oneOf` added to a schema. The documents list these rules. */
export function alternativesOf(schema: z.ZodObject): Alternatives[] {
  return (schema.def.checks ?? []).flatMap(({ _zod: { check: run } }) =>
    'alternatives' in run ? [run.alternatives as Alternatives] : [],
  );
}

/**
 * A schema rule: at least one of the fields is required. If the input has several, the action chooses which one to use.
 */
export const anyOf = (...fields: [string, ...string[]]): Check => check(fields, 1, fields.length);

/** A schema rule: at most one of the fields is allowed. */
export const atMostOneOf = (...fields: [string, ...string[]]): Check => check(fields, 0, 1);

/** A schema rule: exactly one of the fields is required. */
export const oneOf = (...fields: [string, ...string[]]): Check => check(fields, 1, 1);

/** The pattern of the published schema: a date, or a date and time with an offset. */
export const momentPattern =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2}))?$';

/** A time that a caller sends. */
export const moment = z.union(
  [z.iso.datetime({ offset: true }), z.iso.date()],
  'must be a time as ISO 8601, such as 2026-11-01T00:00:00Z',
);

/** The input fields that identify a user (docs/rest.md, Requests). Use them with `anyOf('userName', 'userId')`. */
export const userInput = {
  userName: screenName.optional().meta({ description: 'Screen name of the user.' }),
  userId: numericId.optional().meta({ description: "The platform's id of the user; overrides `userName`." }),
};

export function userReference(input: { userName?: string | undefined; userId?: string | undefined }): UserReference {
  return input.userId === undefined ? { userName: input.userName ?? '' } : { userId: input.userId };
}
