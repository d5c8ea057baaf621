import type { Action } from '../../../actions/action.ts';
import type { JsonObject } from './shared.ts';
import { operationIdOf } from './words.ts';

/** By action: the parameters that its answer has values for, and where in `data` they are. */
const answered: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tweet/create': { tweet_id: 'id' },
  'user/info': { userId: 'id' },
  'article/create': { article_id: 'article_id' },
  'dm/list': { conversation_id: 'conversations/0/conversation_id' },
  'dm/send': { conversation_id: 'conversation_id' },
  'webhooks/create': { id: 'id' },
};

/**
 * `links` of an action's answer: the calls that take one of its values as a parameter, such as the id of what it created. Those
 * that take it in their body have none, because openapi-generator refuses a document with a `requestBody` in a link.
 */
export function linksOf(action: Action, actions: readonly Action[]): JsonObject {
  const links = Object.entries(answered[action.name] ?? {}).flatMap(([parameter, from]) =>
    actions
      .filter((target) => takesParameter(target, parameter))
      .map((target) => [operationIdOf(target), link(target, parameter, from)] as const),
  );
  return links.length === 0 ? {} : { links: Object.fromEntries(links) };
}

function takesParameter({ input, method, path }: Action, name: string): boolean {
  return name in input.shape && (method === 'GET' || path.includes(`{${name}}`));
}

function link(target: Action, parameter: string, from: string): JsonObject {
  return {
    operationId: operationIdOf(target),
    description: `\`data.${from.replaceAll('/', '.')}\` is its \`${parameter}\`.`,
    parameters: { [parameter]: `$response.body#/data/${from}` },
  };
}
