import type { Action } from '../../../actions/action.ts';
import { alternativesRules, deprecationText, effectSentence } from '../../../actions/action-text.ts';
import { formatDollars } from '../../../shared/model/money.ts';
import type { JsonObject } from './shared.ts';

/** The tags in the order of the document, by the first part of an action's name. */
const groups: Readonly<Record<string, { name: string; description: string }>> = {
  tweet: { name: 'Tweets', description: 'Search, post and reply to tweets.' },
  user: { name: 'Users', description: 'Profiles, followers and followed users.' },
  list: { name: 'Lists', description: 'Lists of users.' },
  media: { name: 'Media', description: 'Images and videos for tweets and articles.' },
  article: { name: 'Articles', description: 'Drafts and published articles.' },
  dm: { name: 'Direct messages', description: 'Encrypted conversations.' },
  events: { name: 'Events', description: 'A live stream of the events of an account.' },
  webhooks: { name: 'Webhooks', description: 'Signed events, sent to your URL.' },
  capabilities: {
    name: 'Platform',
    description: 'What the connected platform supports. Free, and needs no `auth_token`.',
  },
  account: {
    name: 'Account',
    description: 'Your API account: credit, usage and payments. These calls are free and need no `auth_token`.',
  },
};

export function tagOf({ name }: Action): string {
  const group = name.split('/')[0] ?? '';
  const tag = groups[group]?.name;
  if (tag === undefined)
    throw new Error(`no tag for the group ${group}: add one to src/api/rest/openapi/operation-text.ts`);
  return tag;
}

/** Returns the tags of these actions, in the order of the document. */
export function tagsOf(actions: readonly Action[]): JsonObject[] {
  const used = new Set(actions.map(tagOf));
  return Object.values(groups)
    .filter(({ name }) => used.has(name))
    .map(({ name, description }) => ({ name, description }));
}

/** Returns the operation id of an action: `tweet/advanced_search` becomes `tweetAdvancedSearch`. */
export function operationIdOf({ name }: Action): string {
  return name.replaceAll(/[^A-Za-z0-9]+(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** Describes the rules of an action that its schemas cannot express. */
export function operationDescription(action: Action): string {
  return [
    deprecationText(action),
    action.description,
    ...alternativesRules(action),
    action.paged === true
      ? '`next_cursor` of one page is the `cursor` of the next page. It is null on the last page.'
      : '',
    effectSentence(action),
    action.price === 0 ? 'Free.' : `Costs ${formatDollars(action.price)} dollars if it succeeds, nothing if it fails.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
