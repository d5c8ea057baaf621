import type { JsonObject } from './shared.ts';

/** Returns the source of a TypeScript interface for the schema of an object, or of a type for another schema. */
export function interfaceOf(name: string, schema: JsonObject): string {
  if (!schema['properties']) return `${comment(schema['description'])}export type ${name} = ${typeOf(schema)};`;
  return `${comment(schema['description'])}export interface ${name} {\n${fieldsOf(schema, '  ')}\n}`;
}

/** Returns the fields of an object's schema, a line each and a line for each description. */
export function fieldsOf({ properties, required = [] }: JsonObject, indent: string, ofInput = false): string {
  return Object.entries(properties as Record<string, JsonObject>)
    .map(([field, schema]) => {
      const isRequired = (required as string[]).includes(field);
      // Programs pass values that may be undefined, so inputs accept them with `exactOptionalPropertyTypes` as well.
      const type = typeOf(schema) + (ofInput && !isRequired ? ' | undefined' : '');
      return `${comment(schema['description'], indent)}${indent}${field}${isRequired ? '' : '?'}: ${type};`;
    })
    .join('\n');
}

/** Returns a comment with a line of text, or nothing. */
export function comment(text: unknown, indent = ''): string {
  return typeof text === 'string' && text !== '' ? `${indent}/** ${text} */\n` : '';
}

/** Returns the TypeScript type of a schema. A reference is the name of the type. */
export function typeOf(schema: JsonObject): string {
  const { type, items, $ref, const: only, enum: values, anyOf, properties, additionalProperties } = schema;
  if (Array.isArray(anyOf)) return anyOf.map((each) => typeOf(each as JsonObject)).join(' | ');
  if (typeof $ref === 'string') return $ref.replace(/^.*\//, '');
  if (only !== undefined) return literal(only);
  const names = [type].flat().map((each) => {
    if (each !== 'null' && Array.isArray(values))
      return values
        .filter((value) => value !== null)
        .map(literal)
        .join(' | ');
    if (each === 'array') return arrayOf(typeOf(items as JsonObject));
    if (each === 'integer') return 'number';
    if (each !== 'object') return String(each);
    if (properties)
      return `{ ${fieldsOf({ ...schema, properties: withoutTexts(properties) }, '').replaceAll('\n', ' ')} }`;
    return `Record<string, ${typeof additionalProperties === 'object' ? typeOf(additionalProperties as JsonObject) : 'unknown'}>`;
  });
  return names.join(' | ');
}

export function arrayOf(type: string): string {
  return / [|&] /.test(type) && !type.startsWith('{') ? `(${type})[]` : `${type}[]`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function withoutTexts(properties: unknown): JsonObject {
  const fields = Object.entries(properties as Record<string, JsonObject>);
  return Object.fromEntries(fields.map(([name, { description: _text, ...schema }]) => [name, schema]));
}
