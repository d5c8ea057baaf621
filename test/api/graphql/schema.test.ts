import {
  type GraphQLArgument,
  type GraphQLNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { graphqlExamples } from '../../../src/api/demo/graphql-examples.ts';
import { schema } from '../../../src/api/graphql/schema/schema.ts';

const types = Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith('__'));
const own = types.filter((type) => !['String', 'Int', 'Float', 'Boolean', 'ID'].includes(type.name));

describe('the GraphQL schema', () => {
  test.each(own.map((type) => [type.name, type] as const))('describes %s and all that it has', (_name, type) => {
    expect(undescribed(type)).toEqual([]);
  });

  test.each(graphqlExamples.map((example) => [example.title, example] as const))(
    'knows what the example asks for: %s',
    (_title, { query }) => {
      expect(validate(schema, parse(query))).toEqual([]);
    },
  );
});

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
