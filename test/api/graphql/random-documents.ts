import fc from 'fast-check';
import { listFields } from './list-fields.ts';

type TypeName = 'Query' | 'User' | 'Tweet' | 'List';

interface FieldForm {
  name: string;
  /** Arguments that are written before `first`. */
  args?: string;
  to?: TypeName;
  list?: boolean;
  /** A fixed selection. */
  set?: string;
}

const leaves = (...names: string[]): FieldForm[] => names.map((name) => ({ name }));
/** Lists without arguments of their own. */
const listsOf = (type: TypeName): FieldForm[] =>
  listFields
    .filter(({ parent, args }) => parent === type && args.length === 0)
    .map(({ name, items }) => ({ name, to: items, list: true }));

const ofNodes = `{
  id ... on User { about { createdVia } protected } ... on Tweet { text author { listedCount } }
  ... on List { members(first: 2) { nodes { mediaCount } } }
}`;

/** The fields of each type that documents may select. */
const fieldsOf: Readonly<Record<TypeName, readonly FieldForm[]>> = {
  Query: [
    { name: 'viewer', to: 'User' },
    { name: 'user', args: 'userName: "grace"', to: 'User' },
    { name: 'user', args: 'userId: $userId', to: 'User' },
    { name: 'tweet', args: 'tweetId: $tweetId', to: 'Tweet' },
    { name: 'searchTweets', args: 'q: "coffee"', to: 'Tweet', list: true },
    { name: 'list', args: 'listId: $listId', to: 'List' },
    { name: 'nodes', args: 'ids: $ids', set: ofNodes },
    ...listsOf('Query'),
  ],
  User: [
    ...leaves('userName', 'protected', 'favouritesCount', 'statusesCount'),
    ...leaves('mediaCount', 'listedCount', 'pinnedTweetIds'),
    { name: 'about', set: '{ createdVia }' },
    ...listsOf('User'),
  ],
  Tweet: [
    ...leaves('tweetId', 'text', 'likeCount'),
    { name: 'author', to: 'User' },
    { name: 'quotedTweet', to: 'Tweet' },
    { name: 'inReplyTo', to: 'Tweet' },
    ...listsOf('Tweet'),
  ],
  List: [{ name: 'listId' }, ...listsOf('List')],
};

interface Selection {
  field: FieldForm;
  first: number;
  alias: boolean;
  directive: string;
  wrapped: 'plain' | 'inline' | 'named';
  edges: boolean;
  inner: Selection[];
}

const directives = ['', '', '', '', '@include(if: $yes)', '@skip(if: $no)', '@include(if: $no)', '@skip(if: $yes)'];

function selections(type: TypeName, depth: number): fc.Arbitrary<Selection[]> {
  const fields = fieldsOf[type].filter(({ to }) => to === undefined || depth > 0);
  const one = fc.constantFrom(...fields).chain((field) =>
    fc.record({
      field: fc.constant(field),
      first: fc.integer({ min: 1, max: 4 }),
      alias: fc.boolean(),
      directive: fc.constantFrom(...directives),
      wrapped: fc.constantFrom('plain', 'plain', 'inline', 'named'),
      edges: fc.boolean(),
      inner: field.to === undefined ? fc.constant([]) : selections(field.to, depth - 1),
    }),
  ) as fc.Arbitrary<Selection>;
  return fc.array(one, { minLength: 1, maxLength: 3 });
}

/** Writes a random selection as a valid document. Fields with arguments get an alias. */
class Writer {
  readonly #fragments: string[] = [];
  #names = 0;

  document(drawn: readonly Selection[]): string {
    const root = this.#set('Query', drawn);
    const parameters =
      '$tweetId: String!, $userId: String!, $listId: String!, $ids: [ID!]!, $yes: Boolean!, $no: Boolean!';
    const used = ['tweetId', 'userId', 'listId', 'ids', 'yes', 'no'].filter((name) =>
      [root, ...this.#fragments].some((text) => text.includes(`$${name}`)),
    );
    const declared = parameters.split(', ').filter((each) => used.includes(/\w+/.exec(each)?.[0] ?? ''));
    return [`query${declared.length > 0 ? ` (${declared.join(', ')})` : ''} ${root}`, ...this.#fragments].join('\n');
  }

  #set(type: TypeName, drawn: readonly Selection[]): string {
    return `{ ${drawn.map((each) => this.#selection(type, each)).join(' ')} }`;
  }

  #selection(type: TypeName, { field, first, alias, directive, wrapped, edges, inner }: Selection): string {
    const { name, args, to, list, set: fixed = '' } = field;
    const isNamed = alias || args !== undefined || list;
    const given = [args, list && `first: ${first}`].filter(Boolean).join(', ');
    const set = to === undefined ? fixed : this.#set(to, inner);
    const items = list ? (edges ? `{ edges { node ${set} } }` : `{ nodes ${set} }`) : set;
    const text = `${isNamed ? `a${this.#names++}: ` : ''}${name}${given && `(${given})`} ${directive} ${items}`;
    if (wrapped === 'inline') return `... on ${type} { ${text} }`;
    if (wrapped === 'plain') return text;
    this.#fragments.push(`fragment F${this.#fragments.length} on ${type} { ${text} }`);
    return `...F${this.#fragments.length - 1} ...F${this.#fragments.length - 1}`;
  }
}

export const documents: fc.Arbitrary<string> = selections('Query', 3).map((drawn) => new Writer().document(drawn));
