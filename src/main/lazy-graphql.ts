import type { GraphqlHttpParts, GraphqlListener } from '../api/graphql/http.ts';
import { lazyListener } from './lazy-listener.ts';

const pieces = [
  () => import('../api/graphql/execute/compiled-size.ts'),
  () => import('../api/graphql/execute/executor.ts'),
  () => import('../api/graphql/schema/builder.ts'),
  () => import('../api/graphql/schema/types.ts'),
  () => import('../api/graphql/schema/schema.ts'),
  () => import('../api/graphql/server.ts'),
];

/**
 * Creates a handler of `/graphql` that loads the GraphQL code after the start, or at the first request. This code is half of the service and
 * would take a third of its start-up time.
 */
export function lazyGraphql(parts: GraphqlHttpParts): GraphqlListener & { warmUp: () => Promise<void> } {
  const { listener, load, warmUp } = lazyListener('GraphQL', parts.logger, pieces, async () => {
    const { graphqlHandler } = await import('../api/graphql/http.ts');
    return graphqlHandler(parts);
  });
  const refuse: GraphqlListener['refuse'] = async (request, response, error) => {
    const graphql = await load(response);
    graphql?.refuse(request, response, error);
  };
  return Object.assign(listener, { refuse, warmUp });
}
