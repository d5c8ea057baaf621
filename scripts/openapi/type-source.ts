import type { JsonObject } from './shared.ts';

/** The source of an exported type: the fields of an interface, or the text of another type. */
export interface TypeSource {
  about: string;
  fields: ReadonlyMap<string, string>;
  text: string | null;
}

/** Returns the source of a TypeScript interface for the schema of an object, or of a type for another schema. */
export function typeSource(schema: JsonObject): TypeSource {
  const fields = schema['properties'] ? fieldsOf(schema, '  ') : new Map();
  return { about: comment(schema['description']), fields, text: schema['properties'] ? null : typeOf(schema) };
}

/**
 * Returns the declarations of types, in the order of their names. `shared` are interfaces that others extend instead of repeating their fields:
 * each has the fields that the types of its list have in common. Types with the same fields are declared once.
 */
export function declarationsOf(
  types: ReadonlyMap<string, TypeSource>,
  shared: Record<string, readonly string[]>,
): string[] {
  const all = new Map(types);
  const fieldsOfType = (name: string) => {
    const fields = all.get(name)?.fields;
    if (fields === undefined) throw new Error(`no type of the client is called ${name}`);
    return fields;
  };
  for (const [name, [first = '', ...others]] of Object.entries(shared)) {
    const common = [...fieldsOfType(first)].filter(([field, source]) =>
      others.every((other) => fieldsOfType(other).get(field) === source),
    );
    if (all.has(name) && ![first, ...others].includes(name))
      throw new Error(`two types of the client are called ${name}`);
    all.set(name, { about: all.get(name)?.about ?? '', fields: new Map(common), text: null });
  }
  const bases = Object.keys(shared).sort((a, b) => fieldsOfType(b).size - fieldsOfType(a).size);
  const declared = new Map<string, string>();
  const interfaces: string[] = [];
  const aliases: string[] = [];
  for (const [name, { about, fields, text }] of [...all].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const rest = new Map(fields);
    const extended = bases.filter((base) => {
      const isBase = base !== name && [...fieldsOfType(base)].every(([field, source]) => rest.get(field) === source);
      if (isBase) for (const field of fieldsOfType(base).keys()) rest.delete(field);
      return isBase;
    });
    const same = [...fields.values()].sort().join('\n');
    const first = declared.get(same);
    if (text === null) declared.set(same, first ?? name);
    const alias = rest.size === 0 ? extended.join(' & ') : name in shared ? undefined : first;
    const heritage = extended.length === 0 ? '' : ` extends ${extended.join(', ')}`;
    if (text !== null) interfaces.push(`${about}export type ${name} = ${text};`);
    else if (alias !== undefined) aliases.push(`${about}export type ${name} = ${alias};`);
    else interfaces.push(`${about}export interface ${name}${heritage} {\n${[...rest.values()].join('\n')}\n}`);
  }
  return aliases.length === 0 ? interfaces : [...interfaces, aliases.join('\n')];
}

/** Returns the fields of an object's schema, a line each and a line for each description. */
export function fieldsOf(
  { properties, required = [] }: JsonObject,
  indent: string,
  ofInput = false,
): ReadonlyMap<string, string> {
  const fields = Object.entries(properties as Record<string, JsonObject>).map(([field, schema]) => {
    const isRequired = (required as string[]).includes(field);
    // Programs pass values that may be undefined, so inputs accept them with `exactOptionalPropertyTypes` as well.
    const type = typeOf(schema) + (ofInput && !isRequired ? ' | undefined' : '');
    return [
      field,
      `${comment(schema['description'], indent)}${indent}${field}${isRequired ? '' : '?'}: ${type};`,
    ] as const;
  });
  return new Map(fields);
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
      return `{ ${[...fieldsOf({ ...schema, properties: withoutTexts(properties) }, '').values()].join(' ')} }`;
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
