import { type GraphQLField, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import type { Action } from '../../../src/actions/action.ts';
import { costOf } from '../../../src/api/graphql/document/cost.ts';
import { schema } from '../../../src/api/graphql/schema/schema.ts';

/** A paginated field of tweets or users in the schema. */
export interface ListField {
  readonly action: Action;
  readonly parent: string;
  readonly name: string;
  /** The arguments except `first` and `after`. */
  readonly args: readonly { name: string; type: string; required: boolean }[];
  readonly items: 'Tweet' | 'User';
}

export const listFields: readonly ListField[] = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .flatMap((type) => Object.values(type.getFields()).flatMap((field) => listField(type, field)));

function listField({ name: parent }: GraphQLObjectType, field: GraphQLField<unknown, unknown>): ListField[] {
  const { action, paged } = costOf(field) ?? {};
  const items = /^(Tweet|User)Connection$/.exec(getNamedType(field.type).name)?.[1];
  if (action === undefined || !paged || (items !== 'Tweet' && items !== 'User')) return [];
  const args = field.args
    .filter(({ name }) => name !== 'first' && name !== 'after')
    .map(({ name, type }) => ({ name, type: String(type), required: String(type).endsWith('!') }));
  return [{ action, parent, name: field.name, args, items }];
}

/** For each parent type: the field that returns it, the variables and the calls. */
const parents: Readonly<Record<string, { field: string; variables: string; calls: readonly string[] }>> = {
  Query: { field: '', variables: '', calls: [] },
  Tweet: { field: 'tweet(tweetId: $tweetId)', variables: '$tweetId: String!', calls: ['tweet/detail'] },
  User: {
    field: 'user(userName: $userName, userId: $userId)',
    variables: '$userName: String, $userId: String',
    calls: ['user/info'],
  },
  List: { field: 'list(listId: $listId)', variables: '$listId: String!', calls: [] },
};

/** Returns a document that reads the list with `first` and `after`, the path to the list, and the calls for its parent. */
export function listDocument({ parent, name, args }: ListField, selection: string) {
  const { field, variables, calls } = parents[parent] ?? { field: '', variables: '', calls: [] };
  const own = [...args.map((arg) => `$${arg.name}: ${arg.type}`), '$first: Int', '$after: String'];
  const given = [...args.map((arg) => arg.name), 'first', 'after'].map((arg) => `${arg}: $${arg}`);
  const list = `${name}(${given.join(', ')}) { ${selection} }`;
  return {
    parameters: [variables, ...own].filter((each) => each !== '').join(', '),
    selection: field === '' ? list : `${field} { ${list} }`,
    at: [...(field === '' ? [] : [parent.toLowerCase()]), name],
    calls,
  };
}
