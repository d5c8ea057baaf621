import type { ArgumentRef, InputObjectRef } from '@pothos/core';
import { z } from 'zod';
import type { Action } from '../../../actions/action.ts';
import { innermost } from '../../../actions/input/input.ts';
import { PosternError } from '../../../shared/errors/postern-error.ts';
import { renamed } from '../errors.ts';
import { builder } from './builder.ts';
import { inputName, withGraphqlNames } from './names.ts';
import { graphqlType, schemaDescription } from './zod-types.ts';

type Types = typeof builder.$inferSchemaTypes;
type Given = Readonly<Record<string, unknown>>;

export interface InputChoices {
  /** Fields of the action's input that this GraphQL input does not have. */
  readonly omit?: readonly string[];
  /** GraphQL names of fields, if they do not follow from the action's names. */
  readonly names?: Readonly<Record<string, string>>;
  /** Maps fields with base64 media to the names of the fields for the same media as an uploaded file. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The GraphQL form of an action's input. */
interface ActionInput {
  /** Converts the values that a caller sent under GraphQL names to the action's input. */
  readonly toInput: (given: Given) => Record<string, unknown>;
  /** Returns an error of the action with the GraphQL name of its field. Returns other values unchanged. */
  readonly rename: (error: unknown) => unknown;
}

type InputRef = InputObjectRef<Types, Record<string, unknown>>;

/** Created input types by name, because several mutations may share an input type. */
const inputTypes = new Map<string, InputRef>();

/** Returns the input type of a mutation, with one field for each field of the action's input. Returns `null` if the action has no input. */
export function inputOf(
  action: Action,
  name: string,
  { description, ...choices }: InputChoices & { readonly description: string },
): (ActionInput & { readonly ref: InputRef }) | null {
  const fields = new InputFields(action, choices);
  if (fields.isEmpty) return null;
  let ref = inputTypes.get(name);
  if (!ref) {
    ref = builder.inputType(name, { description, fields: (t) => fields.make(t, false) as never }) as InputRef;
    inputTypes.set(name, ref);
  }
  return { ref, toInput: (given) => fields.toInput(given), rename: (error) => fields.rename(error) };
}

/** Returns the arguments of a query field: one for each field of the action's input. */
export function argsOf(action: Action, choices: InputChoices = {}): ActionInput & { readonly args: ArgumentMap } {
  const fields = new InputFields(action, choices);
  return {
    args: builder.args((t) => fields.make(t, true) as never),
    toInput: (given) => fields.toInput(given),
    rename: (error) => fields.rename(error),
  };
}

type ArgumentMap = Readonly<Record<string, ArgumentRef<Types, unknown>>>;

class InputFields {
  readonly #action: Action;
  readonly #files: Readonly<Record<string, string>>;
  /** The GraphQL name of each field. */
  readonly #names: Readonly<Record<string, string>>;
  /** Fields whose schema accepts `null` as a value. */
  readonly #nullable: ReadonlySet<string>;

  constructor(action: Action, { omit = [], names = {}, files = {} }: InputChoices) {
    const fields = Object.entries(action.input.shape).filter(([field]) => !omit.includes(field));
    this.#action = action;
    this.#files = files;
    this.#names = Object.fromEntries(fields.map(([field]) => [field, names[field] ?? inputName(field)]));
    this.#nullable = new Set(fields.filter(([, schema]) => (schema as z.ZodType).isNullable()).map(([field]) => field));
  }

  get isEmpty(): boolean {
    return Object.keys(this.#names).length === 0;
  }

  /** Creates the Pothos fields. Only arguments show their default values. */
  make(
    t: Pick<PothosSchemaTypes.InputFieldBuilder<Types, 'Arg' | 'InputObject'>, 'field'>,
    showDefaults: boolean,
  ): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (const [field, name] of Object.entries(this.#names)) {
      const schema = this.#action.input.shape[field] as z.ZodType;
      const { type, isList } = graphqlType(schema);
      const inner = innermost(schema);
      const items = !(inner instanceof z.ZodArray && z.safeParse(inner.element, null).success);
      made[name] = t.field({
        type: isList ? [type] : type,
        required: isList ? { list: !schema.isOptional(), items } : !schema.isOptional(),
        description: withGraphqlNames(schemaDescription(schema), this.#names),
        ...(showDefaults && schema instanceof z.ZodDefault && { defaultValue: schema.def.defaultValue }),
      } as never);
      const file = this.#files[field];
      if (file === undefined) continue;
      const description = `Instead of \`${name}\`: the file itself, in a multipart request.`;
      made[file] = t.field({ type: 'Upload', description });
    }
    return made;
  }

  /** Converts a caller's values to the action's input. Omits `null` values, except for fields that accept `null`. */
  toInput(given: Given): Record<string, unknown> {
    const input: Record<string, unknown> = {};
    for (const [field, name] of Object.entries(this.#names)) {
      const value = this.#valueOf(field, given[name], given);
      if (value !== undefined && (value !== null || this.#nullable.has(field))) input[field] = value;
    }
    return input;
  }

  #valueOf(field: string, text: unknown, given: Given): unknown {
    const name = this.#files[field];
    const file = name === undefined ? undefined : given[name];
    if (file == null) return text;
    // No action accepts an object here, so the action refuses a caller who sent both the text and the file.
    return text == null ? file : { both: true };
  }

  /** Returns a `bad_input` with the GraphQL name of the field, if this input renames the field (for example `id` to `webhookId`). */
  rename(error: unknown): unknown {
    if (!(error instanceof PosternError) || error.code !== 'bad_input') return error;
    const name = this.#names[error.field ?? ''];
    return name === undefined || name === inputName(error.field ?? '') ? error : renamed(error, name);
  }
}
