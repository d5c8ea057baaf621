import { describe, expect, test } from 'vitest';
import { actions } from '../../../src/actions/registry.ts';
import { contract, operationOf } from './contract.ts';

type Schema = Record<string, unknown>;

/** Keys whose values contain data, not schemas. */
const data = new Set(['example', 'examples', 'const', 'enum', 'default', 'required', 'x-alternatives']);

const found: [place: string, schema: Schema][] = [];
function collect(value: unknown, place: string, isSchema: boolean): void {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) collect(item, `${place}/${at}`, isSchema);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (isSchema) found.push([place, value as Schema]);
  for (const [key, inner] of Object.entries(value)) {
    if (data.has(key)) continue;
    const isMap = isSchema && key === 'properties';
    if (isMap) for (const [name, each] of Object.entries(inner)) collect(each, `${place}/${key}/${name}`, true);
    else collect(inner, `${place}/${key}`, isSchema || key === 'schema');
  }
}
collect(contract, '', false);
for (const [name, schema] of Object.entries(contract.components.schemas)) collect(schema, `/schemas/${name}`, true);

const placesOf = (isAtFault: (schema: Schema) => boolean) =>
  found.filter(([, schema]) => isAtFault(schema)).map(([place]) => place);

describe('every schema is one that code generators understand', () => {
  test('it was found at all', () => {
    expect(found.length).toBeGreaterThan(1_000);
  });

  test('it has a type of its own, or refers to a schema that has one', () => {
    const isTyped = ({ type, $ref, anyOf }: Schema) => type !== undefined || $ref !== undefined || anyOf !== undefined;
    expect(placesOf((schema) => !isTyped(schema))).toEqual([]);
  });

  test('it combines no schemas, except a named or whole object with null', () => {
    const whole = ({ $ref, type, properties }: Schema) => $ref !== undefined || (type === 'object' && properties);
    expect(placesOf((schema) => 'oneOf' in schema || 'allOf' in schema || 'not' in schema)).toEqual([]);
    expect(
      placesOf(({ anyOf }) => {
        if (anyOf === undefined) return false;
        const [one = {}, other, ...more] = anyOf as Schema[];
        return more.length > 0 || other?.['type'] !== 'null' || !whole(one);
      }),
    ).toEqual([]);
  });

  test('its type is one, or one and null', () => {
    const isFair = ({ type }: Schema) => !Array.isArray(type) || (type.length === 2 && type[1] === 'null');
    expect(placesOf((schema) => !isFair(schema))).toEqual([]);
    expect(placesOf(({ nullable }) => nullable !== undefined)).toEqual([]);
  });

  test('it is null alone only as one side of a union', () => {
    const isBranch = (place: string) => /\/anyOf\/1$/.test(place);
    expect(placesOf(({ type }) => type === 'null').filter((place) => !isBranch(place))).toEqual([]);
  });

  test('it fixes no flag, which openapi-generator compares with a text', () => {
    expect(placesOf(({ const: only }) => typeof only === 'boolean')).toEqual([]);
  });

  test('its values are of its type', () => {
    const names: Record<string, string> = { integer: 'number', null: 'object' };
    expect(
      placesOf(({ type, enum: values = [], const: only }) => {
        const types = [type].flat().map((name) => names[String(name)] ?? name);
        const given = [...(values as unknown[]), ...(only === undefined ? [] : [only])];
        return given.some((value) => !types.includes(typeof value));
      }),
    ).toEqual([]);
  });

  test('its pattern needs no flags, and nothing that RE2 lacks', () => {
    const isFair = (pattern: string) => {
      new RegExp(pattern);
      return !/\(\?(?!:)|\\[1-9pPuc]/.test(pattern);
    };
    expect(placesOf(({ pattern }) => typeof pattern === 'string' && !isFair(pattern))).toEqual([]);
  });

  test('its format is one of JSON Schema’s own', () => {
    const known = new Set([undefined, 'date-time', 'uri']);
    expect(placesOf(({ format }) => !known.has(format as string | undefined))).toEqual([]);
  });
});

describe('a body of alternatives', () => {
  const withAlternatives = actions.filter((action) => 'x-alternatives' in operationOf(action));

  test('is a plain object, and the rule is a sentence', () => {
    const bodies = withAlternatives.flatMap((action) => operationOf(action).requestBody ?? []);
    expect(bodies.length).toBeGreaterThanOrEqual(8);
    for (const { description, content } of bodies) {
      expect(description).toMatch(/^(Needs|Takes) /);
      expect(content['application/json'].schema).toMatchObject({ type: 'object' });
      for (const property of Object.values(content['application/json'].schema.properties)) {
        expect(property).toMatchObject({ type: expect.anything(), description: expect.any(String) });
      }
    }
  });

  test.each(withAlternatives.map((action) => [action.name, action] as const))(
    'is still checked: %s',
    (_name, action) => {
      const groups = operationOf(action)['x-alternatives'] ?? [];
      for (const { fields, minimum, maximum } of groups) {
        const without = Object.fromEntries(Object.entries(action.example).filter(([field]) => !fields.includes(field)));
        expect(action.input.safeParse(without).success).toBe(minimum === 0);
        if (maximum > 1 || fields.length === 1) continue;
        const both = Object.fromEntries(fields.map((field) => [field, samples[field]]));
        expect(Object.values(both)).not.toContain(undefined);
        expect(action.input.safeParse({ ...action.example, ...both }).success).toBe(false);
      }
    },
  );
});

const samples: Readonly<Record<string, string | string[]>> = {
  ids: ['12'],
  userNames: ['grace'],
  quote_tweet_id: '12',
  quote_tweet_url: 'https://platform.example/ada/status/12',
  media_url: 'https://platform.example/a.png',
  media_data: 'AAAA',
  cover_media_id: '12',
  cover_image_url: 'https://platform.example/a.png',
  cover_image_base64: 'AAAA',
  image_url: 'https://platform.example/a.png',
  image_base64: 'AAAA',
  conversation_id: '12:34',
  user_id: '34',
  scopes: ['tweet.read'],
  identifier: 'alice.example.com',
  return_to: 'https://app.example/',
  app_password: 'abcd-efgh',
};
