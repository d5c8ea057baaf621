import { z } from 'zod';
import type { Action } from '../../src/actions/action.ts';
import { deprecationText, operationDescription, operationIdOf } from '../../src/actions/action-text.ts';
import { endpointOf } from '../../src/actions/endpoint.ts';
import { errorGuide } from '../../src/shared/errors/guide.ts';
import { errorCodes, errorTable } from '../../src/shared/errors/table.ts';
import { isObject } from './plain-unions.ts';
import { SchemaBook } from './schemas.ts';
import type { JsonObject } from './shared.ts';
import { arrayOf, comment, declarationsOf, fieldsOf, type TypeSource, typeOf, typeSource } from './type-source.ts';

/** Interfaces of the client that have the fields which these types have in common. */
const sharedFields = {
  ApiKey: ['ApiKey', 'CreatedApiKey'],
  ArticleChoice: ['ArticleDetailInput'],
  ArticlePlace: ['ArticleCreateResult', 'ArticleSummary'],
  ArticleSummary: ['ArticleSummary', 'Article'],
  AnyTweet: ['Tweet', 'QuotedTweet'],
  AnyUser: ['Author', 'UserCard', 'UserProfile'],
  AnyUserCard: ['UserCard', 'UserProfile'],
  ChangedMessage: ['DmDeleteResult', 'DmReactResult'],
  ConnectionChoice: ['ConnectionsDetailInput'],
  Delivery: ['Delivery', 'DeliveryDetail'],
  MessageChoice: ['DmDeleteInput', 'DmReactInput'],
  Page: ['TweetRepliesPage', 'ConnectionsListPage'],
  PageInput: ['UserBookmarksInput', 'ArticleListInput'],
  SentMessage: ['DmSendResult', 'DmSendMediaResult'],
  ShownUser: ['AnyUser', 'Participant', 'UserAbout'],
  TargetUser: ['UserBlockResult', 'UserFollowResult'],
  TargetUserInput: ['UserFollowInput'],
  TweetChoice: ['TweetDetailInput'],
  TweetPage: ['TweetRepliesPage', 'UserBookmarksPage'],
  TweetResult: ['TweetDeleteResult', 'TweetFavoriteResult'],
  UserInput: ['UserInfoInput'],
  UserPage: ['UserFollowersPage', 'UserFollowersYouKnowPage'],
  WebhookChoice: ['WebhooksDetailInput'],
};

/** The calls below one part of a name: `tweet` has the call `create` of `tweet/create`. */
interface Group {
  calls: Map<string, Action>;
  groups: Map<string, Group>;
}

/** Returns src/client/endpoints.ts: the types of all inputs and outputs, and a class with a method for each action. */
export function clientSource(actions: readonly Action[]): string {
  const book = new SchemaBook();
  const types = new Map<string, TypeSource>();
  const results = new Map(actions.map((action) => [action.name, resultOf(action, book, types)]));
  const inputs = new Map(actions.map((action) => [action.name, inputOf(action, book, types)]));
  for (const [name, schema] of Object.entries(book.components())) {
    if (types.has(name)) throw new Error(`two types of the client are called ${name}`);
    types.set(name, typeSource(schema as JsonObject));
  }
  const classes: string[] = [];
  const addClass = (name: string, { calls, groups }: Group) => {
    const inner = [...groups].map(([field, group]) => {
      const className = `${name === 'Endpoints' ? '' : name.replace(/Calls$/, '')}${capitalized(field)}Calls`;
      addClass(className, group);
      return { field, className };
    });
    const methods = [...calls].map(([method, action]) =>
      methodOf(method, action, inputs.get(action.name) ?? '', results.get(action.name) ?? { type: '' }),
    );
    classes.push(classOf(name, inner, methods));
  };
  addClass('Endpoints', groupsOf(actions));
  return `${[
    '// Printed by `npm run print` from src/actions/.',
    "import type { Bytes } from './bytes.ts';\nimport { CallGroup, type NoInput, type Optional } from './call.ts';",
    ...declarationsOf(types, sharedFields),
    ...classes,
  ].join('\n\n')}\n`;
}

/** Returns src/client/error-table.ts. */
export function errorTableSource(): string {
  const rows = errorCodes.map((code) => {
    const mayPass = errorGuide[code].retry.startsWith('yes');
    return `  ${code}: { status: ${errorTable[code].status}, mayPass: ${mayPass} },`;
  });
  return [
    '// Printed by `npm run print` from src/shared/errors/.',
    '',
    '/** The codes of error responses, with their status. `mayPass` means that the same request may succeed later. */',
    `export const errorTable = {\n${rows.join('\n')}\n} as const;`,
    '',
    '/** The code of an error response (docs/errors.md). */',
    'export type ErrorCode = keyof typeof errorTable;',
    '',
  ].join('\n');
}

/**
 * Groups the actions by the parts of their names. A call whose name is also the beginning of other names becomes `get`. A stream stays a
 * method, so the calls below its name are methods beside it: `events/token` becomes `eventsToken`.
 */
function groupsOf(actions: readonly Action[]): Group {
  const newGroup = (): Group => ({ calls: new Map(), groups: new Map() });
  const root = newGroup();
  for (const action of actions) {
    const isGroup = action.kind === 'call' && actions.some(({ name }) => name.startsWith(`${action.name}/`));
    const isBesideStream = actions.some(({ kind, name }) => kind === 'stream' && action.name.startsWith(`${name}/`));
    const names = isBesideStream ? [action.name.replaceAll('/', '_')] : action.name.split('/');
    const path = [...names, ...(isGroup ? ['get'] : [])].map(camelCase);
    const method = path.pop() ?? '';
    let group = root;
    for (const part of path) {
      const inner = group.groups.get(part) ?? newGroup();
      group.groups.set(part, inner);
      group = inner;
    }
    group.calls.set(method, action);
  }
  return root;
}

/** The type of a result. `item` is the type of the items of a list. */
interface Result {
  type: string;
  item?: string;
}

function resultOf(action: Action, book: SchemaBook, types: Map<string, TypeSource>): Result {
  if (action.kind === 'stream') return { type: 'EventStream' };
  const schema = book.output(action.output);
  if (schema['$ref'] !== undefined) return { type: typeOf(schema) };
  const type = `${capitalized(operationIdOf(action))}${action.paged === false ? 'Result' : 'Page'}`;
  types.set(type, typeSource(schema));
  if (action.paged === false) return { type };
  const { items = '' } = endpointOf(action);
  const list = (schema['properties'] as Record<string, JsonObject>)[items] as JsonObject;
  return { type, item: typeOf(list['items'] as JsonObject) };
}

/** Returns the type of an input; `NoInput` if it has no fields. */
function inputOf(action: Action, book: SchemaBook, types: Map<string, TypeSource>): string {
  const { properties, ...schema } = book.input(action.input);
  const fields = Object.entries(properties as Record<string, JsonObject>);
  if (fields.length === 0) return 'NoInput';
  const { bytes = [] } = endpointOf(action);
  const type = `${capitalized(operationIdOf(action))}Input`;
  const shown = fields.map(([name, field]) => {
    if (bytes.includes(name)) return [name, { ...field, type: 'Bytes' }];
    return [name, action.method === 'GET' ? listInQuery(action, name, field) : field];
  });
  const source = fieldsOf({ ...schema, properties: Object.fromEntries(shown) }, '  ', true);
  types.set(type, { about: '', fields: source, text: null });
  return type;
}

/** A list in a query is text with commas. The client accepts the list and writes the text. */
function listInQuery(action: Action, name: string, field: JsonObject): JsonObject {
  const listOf = (io: 'input' | 'output') => {
    const given = z.toJSONSchema(action.input.shape[name] as z.ZodType, { io, unrepresentable: 'any' });
    const { type, items } = JSON.parse(JSON.stringify(given)) as JsonObject;
    return type === 'array' && isObject(items) ? (items as JsonObject) : null;
  };
  const items = listOf('output');
  if (items === null) return field;
  // The output of a transform has no type.
  const typed = items['type'] === undefined ? (listOf('input') ?? items) : items;
  return {
    description: String(field['description']).replace(', separated by commas', ''),
    type: `readonly ${arrayOf(typeOf(typed))}`,
  };
}

function methodOf(name: string, action: Action, input: string, { type, item }: Result): string {
  const factory = action.kind === 'stream' ? 'stream' : item === undefined ? 'call' : 'list';
  const given = action.input.safeParse({}).success ? `Optional<${input}>` : input;
  const types = [given, ...(action.kind === 'stream' ? [] : [type]), ...(item === undefined ? [] : [item])];
  const code = action.code === 'none' ? '' : ' Sends `encryptionCode`.';
  const endpoint = Object.entries(endpointOf(action)).map(([key, value]) => `${key}: ${literal(value)}`);
  const about = `${action.summary} (\`${action.method} ${action.path}\`).${code} ${operationDescription(action)}`;
  const tag = action.deprecated ? `\n   * @deprecated ${deprecationText(action)}` : '';
  return `${comment(about + tag, '  ')}  readonly ${name} = this.${factory}Of<${types.join(', ')}>({ ${endpoint.join(', ')} });`;
}

function literal(value: string | true | readonly string[]): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(',')}]`;
  return value === true ? 'true' : `'${value}'`;
}

function classOf(
  name: string,
  groups: readonly { field: string; className: string }[],
  methods: readonly string[],
): string {
  const about = name === 'Endpoints' ? 'The calls of Postern, a method for each.' : '';
  const fields = groups.map(({ field, className }) => `  readonly ${field} = this.groupOf(${className});`);
  return `${comment(about)}export class ${name} extends CallGroup {\n${[...fields, ...methods].join('\n')}\n}`;
}

function camelCase(part: string): string {
  return part.replaceAll(/[-_](\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
