import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import ZodPlugin from '@pothos/plugin-zod';
import { GraphQLError } from 'graphql';
import type { ReceivedFile } from '../../../media/received-file.ts';
import { fieldAt, malformedField } from '../../../shared/errors/fields.ts';
import { PosternError } from '../../../shared/errors/postern-error.ts';
import { costOf, costs } from '../cost.ts';
import type { Session } from '../session.ts';
import { toIsoTime } from './time.ts';

export interface SchemaTypes {
  Context: Session;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: string; Output: string };
    Credits: { Input: string; Output: string };
    Upload: { Input: ReceivedFile; Output: never };
  };
}

export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [RelayPlugin, ZodPlugin],
  defaultFieldNullability: false,
  zod: {
    validationError: ({ issues: [issue] }, _args, session, info) => {
      const refusal =
        issue?.code === 'custom' && issue.params?.['refusal'] instanceof PosternError
          ? issue.params['refusal']
          : malformedField(fieldAt(issue?.path ?? []), issue?.message ?? 'is malformed');
      // The resolver does not run after a failed validation, so the failed write is recorded here.
      const { parentType, fieldName } = info;
      const field = parentType.getFields()[fieldName];
      const action = field && costOf(field)?.action;
      if (parentType.name === 'Mutation' && action) session.noteFailedWrite(action, refusal);
      return refusal;
    },
  },
  relay: {
    cursorType: 'String',
    // `node` and `nodes` are declared in `node.ts`, because they need a cost.
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodesOnConnection: { description: 'The items without their cursors.' },
    idFieldOptions: { description: 'Global id, for `node`. It is opaque.' },
    nodeTypeOptions: { description: 'An object with a global id.' },
    pageInfoTypeOptions: { description: 'The beginning and the end of a page of a list.' },
    hasNextPageFieldOptions: { description: 'True if there may be more items.' },
    hasPreviousPageFieldOptions: {
      description: 'True on every page except the first. Lists can only be read forward.',
    },
    startCursorFieldOptions: { description: 'Cursor of the first item.', ...costs({ bytes: 250 }) },
    endCursorFieldOptions: {
      description: 'Cursor of the last item. It is the `after` of the next page.',
      ...costs({ bytes: 250 }),
    },
    pageInfoFieldOptions: { description: 'The beginning and the end of this page.' },
    edgesFieldOptions: { description: 'The items with their cursors.', nullable: { list: false, items: false } },
    nodeFieldOptions: { description: 'The item.', nullable: false },
    cursorFieldOptions: {
      description: 'Cursor of the item. If it is sent as `after`, the list continues after this item.',
      ...costs({ bytes: 250 }),
    },
    defaultEdgeTypeOptions: { description: 'An item of a list with its cursor.' },
    defaultConnectionTypeOptions: { description: 'A page of a list.' },
  },
});

builder.queryType({ description: 'Reads.' });
builder.mutationType({ description: 'Writes. The fields of one request run in order, one after the other.' });

builder.scalarType('DateTime', {
  description: 'A timestamp in ISO 8601, such as `2026-11-01T00:00:00.000Z`.',
  // Times of tweets are converted here and not in resolvers, because a resolver for each tweet takes much longer.
  serialize: toIsoTime,
  parseValue: (value) => {
    if (typeof value === 'string') return value;
    throw new GraphQLError('Expected a time as ISO 8601, such as 2026-11-01T00:00:00Z');
  },
});

builder.scalarType('Credits', {
  description: 'Dollars, as an exact decimal string: `"0.001"`.',
  serialize: (value) => value,
  parseValue: () => {
    throw new GraphQLError('Expected nothing: it is never an input');
  },
});
