import type { ArgumentRef, InputObjectRef } from '@pothos/core';
import { z } from 'zod';
import type { Action } from '../../../actions/action.ts';
import { checkInput } from '../../../actions/input/input.ts';
import { PosternError } from '../../../shared/errors/postern-error.ts';
import { renamed } from '../errors.ts';
import { inputName, withGraphqlNames } from '../names.ts';
import { builder } from './builder.ts';
import { descriptionOf, graphqlType } from './zod-types.ts';

type Types = typeof builder.$inferSchemaTypes;
type Given = Readonly<Record<string, unknown>>;

export interface InputChoices {
  /** Fields of the action's input that GraphQL does not take here. */
  readonly omit?: readonly string[];
  /** Names that do not follow from the action's. */
  readonly names?: Readonly<Record<string, string>>;
  /** Fields of base64 that can also be a file of a multipart request, with the name of the file's field. */
  readonly files?: Readonly<Record<string, string>>;
}

/** An action's input in GraphQL. */
export interface ActionInput {
  /** The action's input, from the values that a caller gave under GraphQL's names. */
  readonly toInput: (given: Given) => Record<string, unknown>;
  /** The action's own checks for the validation plugin. A refusal names the field as GraphQL does. */
  readonly validate: { readonly schema: z.ZodType<never> };
}

/** An input type: a field for each field of the action's input. */
export interface InputType extends ActionInput {
  readonly ref: InputObjectRef<Types, Record<string, unknown>>;
}

/** Input types by name: several mutations may share one. */
const inputTypes = new Map<string, InputType['ref']>();

/** The input type of a mutation. An action without input has none. */
export function inputOf(
  action: Action,
  name: string,
  { description, ...choices }: InputChoices & { readonly description: string },
): InputType | null {
  const fields = new InputFields(action, choices);
  if (fields.isEmpty) return null;
  let ref = inputTypes.get(name);
  if (!ref) {
    ref = builder.inputType(name, { description, fields: (t) => fields.make(t, false) as never }) as InputType['ref'];
    inputTypes.set(name, ref);
  }
  return { ref, toInput: (given) => fields.toInput(given), validate: fields.validate };
}

/** The arguments of a query field: one for each field of the action's input. */
export function argsOf(action: Action, choices: InputChoices = {}): ActionInput & { readonly args: ArgumentMap } {
  const fields = new InputFields(action, choices);
  return {
    args: builder.args((t) => fields.make(t, true) as never),
    toInput: (given) => fields.toInput(given),
    validate: fields.validate,
  };
}

type ArgumentMap = Readonly<Record<string, ArgumentRef<Types, unknown>>>;

class InputFields {
  readonly #action: Action;
  readonly #files: Readonly<Record<string, string>>;
  /** GraphQL's name of each field. */
  readonly #names: Readonly<Record<string, string>>;
  /** Fields for which `null` has a meaning of its own. */
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

  /** The Pothos fields. Arguments show their default values. */
  make(
    t: Pick<PothosSchemaTypes.InputFieldBuilder<Types, 'Arg' | 'InputObject'>, 'field'>,
    showDefaults: boolean,
  ): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (const [field, name] of Object.entries(this.#names)) {
      const schema = this.#action.input.shape[field] as z.ZodType;
      const { type, isList } = graphqlType(schema);
      made[name] = t.field({
        type: isList ? [type] : type,
        required: !schema.isOptional(),
        description: withGraphqlNames(descriptionOf(schema), this.#names),
        ...(showDefaults && schema instanceof z.ZodDefault && { defaultValue: schema.def.defaultValue }),
      } as never);
      const file = this.#files[field];
      if (file === undefined) continue;
      const description = `Instead of \`${name}\`: the file itself, in a multipart request.`;
      made[file] = t.field({ type: 'Upload', description });
    }
    return made;
  }

  /** Leaves out `null`, except for fields for which it has a meaning. */
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
    // No action takes an object here, so that a caller who gives both is refused.
    return text == null ? file : { both: true };
  }

  get validate(): ActionInput['validate'] {
    const schema = z.custom<never>().superRefine((given, context) => {
      try {
        checkInput(this.#action.input, this.toInput(given));
      } catch (error) {
        if (!(error instanceof PosternError)) throw error;
        context.addIssue({ code: 'custom', params: { refusal: this.#renamed(error) } });
      }
    });
    return { schema };
  }

  /** Returns the error with the field name that GraphQL callers know, if this input renames the field (`id` to `webhookId`). */
  #renamed(error: PosternError): PosternError {
    const name = this.#names[error.field ?? ''];
    return name === undefined || name === inputName(error.field ?? '') ? error : renamed(error, name);
  }
}
