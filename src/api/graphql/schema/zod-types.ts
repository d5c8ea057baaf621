import type { EnumRef, FieldMap, ObjectRef } from '@pothos/core';
import { z } from 'zod';
import { byteCount, dollars, timeOrEmpty, tweetTime } from '../../../shared/model/scalars.ts';
import { builder } from './builder.ts';
import { outputName, withGraphqlNames } from './names.ts';

type Types = typeof builder.$inferSchemaTypes;
type ScalarName = 'String' | 'Int' | 'Float' | 'Boolean' | 'DateTime' | 'Credits';
type TypeRef = ScalarName | EnumRef<Types, string> | ObjectRef<Types, object>;

/** The GraphQL types of schemas whose zod type does not determine the GraphQL type. */
const registered = new Map<z.core.$ZodType, TypeRef>([
  [dollars, 'Credits'],
  [tweetTime, 'DateTime'],
  [timeOrEmpty, 'DateTime'],
  // `Float`, because the size of a file can exceed the range of `Int`.
  [byteCount, 'Float'],
]);

/** Converts values of these schemas to their GraphQL form. */
const conversions = new Map<z.core.$ZodType, (value: string) => string | null>([[timeOrEmpty, (time) => time || null]]);

/** Returns the entry for a schema, or for the schema from which `.meta()` or a check derived it. */
function entryOf<Entry>(map: ReadonlyMap<z.core.$ZodType, Entry>, schema: z.core.$ZodType): Entry | undefined {
  for (let each: z.core.$ZodType | undefined = schema; each; each = each._zod.parent) {
    const entry = map.get(each);
    if (entry !== undefined) return entry;
  }
  return undefined;
}

/** Returns the GraphQL type of a zod schema. Throws at start-up if the schema has no type. */
export function graphqlType(schema: z.core.$ZodType): { type: TypeRef; isList: boolean } {
  const type = entryOf(registered, schema);
  if (type !== undefined) return { type, isList: false };
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return graphqlType(schema.unwrap());
  }
  if (schema instanceof z.ZodPipe) return graphqlType(schema.in);
  const [first] = schema instanceof z.ZodUnion ? schema.options : [];
  if (first) return graphqlType(first);
  if (schema instanceof z.ZodArray) return { ...graphqlType(schema.element), isList: true };
  const [item] = schema instanceof z.ZodTuple ? schema.def.items : [];
  if (item) return { ...graphqlType(item), isList: true };
  return { type: scalarOf(schema), isList: false };
}

function scalarOf(schema: z.core.$ZodType): ScalarName {
  if (schema instanceof z.ZodISODateTime) return 'DateTime';
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'Int' : 'Float';
  if (schema instanceof z.ZodBoolean) return 'Boolean';
  if (schema instanceof z.ZodLiteral) return scalarOfValue(schema.value);
  if (schema instanceof z.ZodStringFormat || schema instanceof z.ZodString || schema instanceof z.ZodEnum) {
    return 'String';
  }
  // A custom schema has no zod type. Its metadata declares the JSON Schema type `string`.
  if (schema instanceof z.ZodCustom && schema.meta()?.['type'] === 'string') return 'String';
  throw new Error(`GraphQL has no type for a zod schema of type ${schema._zod.def.type}: register one`);
}

function scalarOfValue(value: unknown): ScalarName {
  if (typeof value === 'number') return 'Int';
  return typeof value === 'boolean' ? 'Boolean' : 'String';
}

/** Creates the GraphQL enum of a schema. `describeValue` returns the description of each value. */
export function enumOf<Value extends string>(
  name: string,
  schema: z.ZodType<Value> & { options: Value[] },
  description: string,
  describeValue: (value: Value) => string,
): EnumRef<Types, Value> {
  const values = schema.options.map((value) => [constantName(value), { value, description: describeValue(value) }]);
  const ref = builder.enumType(name, { description, values: Object.fromEntries(values) });
  registered.set(schema, ref);
  return ref as unknown as EnumRef<Types, Value>;
}

/** Gives `schema`, whose values `wider` also accepts, the GraphQL type of `wider`. */
export function useTypeOf(wider: z.ZodType, schema: z.ZodType): void {
  registered.set(schema, graphqlType(wider).type);
}

/** Converts an enum value to a GraphQL name: `message.reactionAdded` becomes `MESSAGE_REACTION_ADDED`. */
function constantName(value: string): string {
  return value
    .replace('.', '_')
    .replaceAll(/(?<=[a-z])[A-Z]/g, '_$&')
    .toUpperCase();
}

interface FieldChoices<Shape> {
  /** Fields of the schema that the GraphQL type does not have, or that are declared by hand. */
  readonly omit?: readonly (keyof Shape)[];
  /** GraphQL names of fields, if they do not follow from the schema's names. */
  readonly names?: Readonly<Partial<Record<keyof Shape, string>>>;
  /** Pothos options to add to fields, such as their cost. */
  readonly options?: Readonly<Partial<Record<keyof Shape, object>>>;
}

type FieldBuilder<Source> = PothosSchemaTypes.ObjectFieldBuilder<Types, Source>;

/** Creates the fields of an object type. Each field of the schema becomes a field with the same type, nullability and description. */
export function fieldsOf<Source, Shape extends z.core.$ZodShape>(
  t: FieldBuilder<Source>,
  { shape }: z.ZodObject<Shape>,
  { omit = [], names, options }: FieldChoices<Shape> = {},
): FieldMap {
  const fieldNames = Object.keys(shape) as (keyof Shape & string)[];
  const shown = fieldNames.filter((field) => !omit.includes(field));
  const nameOf = (field: keyof Shape & string) => names?.[field] ?? outputName(field);
  const known = Object.fromEntries(fieldNames.map((field) => [field, nameOf(field)]));
  const fields = shown.map((field) => {
    const schema = shape[field] as z.ZodType;
    const { type, isList } = graphqlType(schema);
    const convert = entryOf(conversions, schema);
    const common = {
      type: isList ? [type] : type,
      nullable: schema.isOptional() || schema.isNullable() || convert?.('') === null,
      description: withGraphqlNames(schemaDescription(schema), known),
      ...options?.[field],
    };
    const read = (source: Source) => (source as Record<string, string>)[field] ?? '';
    const made = convert
      ? t.field({ ...common, resolve: (source: Source) => convert(read(source)) } as never)
      : t.expose(field as never, common as never);
    return [known[field], made] as const;
  });
  return Object.fromEntries(fields);
}

/** Returns the description of a schema, or of the schema that it wraps. */
export function schemaDescription(schema: z.ZodType): string {
  const own = schema.meta()?.description;
  if (own !== undefined) return own;
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? schemaDescription(schema.unwrap() as z.ZodType)
    : '';
}

export interface ObjectChoices<Shape extends z.core.$ZodShape> extends FieldChoices<Shape> {
  readonly description?: string;
  /** Additional fields that the schema does not have. */
  readonly fields?: (t: FieldBuilder<z.output<z.ZodObject<Shape>>>) => FieldMap;
}

/** Creates the object type of a schema, with its description. Other schemas that contain this schema refer to the type. */
export function objectOf<Shape extends z.core.$ZodShape>(
  name: string,
  schema: z.ZodObject<Shape>,
  { description = schemaDescription(schema), fields, ...choices }: ObjectChoices<Shape> = {},
): ObjectRef<Types, z.output<z.ZodObject<Shape>>> {
  const ref = builder.objectRef<z.output<z.ZodObject<Shape>>>(name);
  registered.set(schema, ref as never);
  builder.objectType(ref, {
    description,
    fields: (t) => ({ ...fieldsOf(t, schema, choices), ...fields?.(t) }) as never,
  });
  return ref;
}
