import { type GraphQLSchema, isObjectType } from 'graphql';
import { boundResponses } from '../execute/response-budget.ts';
import { builder } from './builder.ts';
import './types.ts';

export const schema = boundResponses(withoutPropertyResolvers(builder.toSchema({ sortSchema: false })));

/**
 * Removes resolvers of Pothos' Relay plugin that only read the property with the field's name. graphql-jit reads the properties of objects
 * faster than it calls resolvers.
 */
function withoutPropertyResolvers(made: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(made.getTypeMap())) {
    const name = type.name.endsWith('Edge') ? 'node' : type.name.endsWith('Connection') ? 'pageInfo' : null;
    if (name !== null && isObjectType(type)) delete type.getFields()[name]?.resolve;
  }
  return made;
}
