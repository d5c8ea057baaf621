import type { Action } from '../../src/actions/action.ts';
import { operationIdOf } from '../../src/actions/action-text.ts';
import type { JsonObject } from './shared.ts';

/** For each action, the parameters of other actions that its response contains, with the path of the value within `data`. */
const answered: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'tweet/create': { tweet_id: 'id' },
  'user/info': { userId: 'id' },
  'article/create': { article_id: 'article_id' },
  'dm/list': { conversation_id: 'conversations/0/conversation_id' },
  'dm/send': { conversation_id: 'conversation_id' },
  'webhooks/create': { id: 'id' },
};

/**
 * Returns the `links` of an action's response: calls that have a value of the response as a parameter, such as the id of a created
 * resource. Calls with this value in their body are omitted, because openapi-generator refuses a document with a `requestBody` in a link.
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
    description: `\`data.${from.replaceAll('/', '.')}\` is the \`${parameter}\` of this call.`,
    parameters: { [parameter]: `$response.body#/data/${from}` },
  };
}
