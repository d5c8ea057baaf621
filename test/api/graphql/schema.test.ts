import {
  type GraphQLArgument,
  type GraphQLNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
  printSchema,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { actions } from '../../../src/actions/registry.ts';
import { graphqlExamples } from '../../../src/api/demo/graphql-examples.ts';
import { schema } from '../../../src/api/graphql/schema/schema.ts';

const types = Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith('__'));
const own = types.filter((type) => !['String', 'Int', 'Float', 'Boolean', 'ID'].includes(type.name));

describe('the GraphQL schema', () => {
  test.each(own.map((type) => [type.name, type] as const))('describes %s and all that it has', (_name, type) => {
    expect(undescribed(type)).toEqual([]);
  });

  test('names fields in descriptions as GraphQL spells them', () => {
    const restNames = new Set(actions.flatMap(({ input, output }) => [...fieldsOf(input), ...fieldsOf(output)]));
    const quoted = [...printSchema(schema).matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    expect(quoted).toContain('quoteTweetId');
    expect(quoted.filter((name) => name.includes('_') && restNames.has(name))).toEqual([]);
  });

  test.each(graphqlExamples.map((example) => [example.title, example] as const))(
    'knows what the example asks for: %s',
    (_title, { query }) => {
      expect(validate(schema, parse(query))).toEqual([]);
    },
  );
});

/** Returns the names of all fields of a schema, including nested objects. */
function fieldsOf(type: z.ZodType): string[] {
  if (type instanceof z.ZodArray || type instanceof z.ZodNullable || type instanceof z.ZodOptional) {
    return fieldsOf((type instanceof z.ZodArray ? type.element : type.unwrap()) as z.ZodType);
  }
  if (!(type instanceof z.ZodObject)) return [];
  return Object.entries(type.shape).flatMap(([name, field]) => [name, ...fieldsOf(field as z.ZodType)]);
}

function undescribed(type: GraphQLNamedType): string[] {
  const missing = type.description ? [] : [type.name];
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return missing;
  for (const field of Object.values(type.getFields())) {
    const name = `${type.name}.${field.name}`;
    if (!field.description) missing.push(name);
    const args: readonly GraphQLArgument[] = 'args' in field ? field.args : [];
    missing.push(...args.filter((arg) => !arg.description).map((arg) => `${name}(${arg.name})`));
  }
  return missing;
}
