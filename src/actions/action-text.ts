import { formatDollars } from '../shared/model/money.ts';
import type { Action } from './action.ts';
import { type Alternatives, alternativesOf } from './input/input.ts';

/* Sentences about an action that the documents of all APIs share. Fields have their REST names. */

/** Returns one sentence for each rule that makes fields exclude each other or requires one of them. */
export function alternativesRules(action: Action): string[] {
  return alternativesOf(action.input).map(alternativesSentence);
}

/** Returns a sentence about a rule for several fields. */
export function alternativesSentence({ fields, atLeast, atMost }: Alternatives): string {
  if (atMost > 1 || (atLeast === 1 && fields.length === 1)) return `Needs ${listed(fields, 'or')}.`;
  return atLeast === 0
    ? `Takes at most one of ${listed(fields, 'and')}.`
    : `Needs exactly one of ${listed(fields, 'and')}.`;
}

/** Returns a sentence about the effect of sending a request twice. Empty for reads. */
export function effectSentence({ effect, method }: Action): string {
  if (effect === 'read') return '';
  if (method === 'DELETE') return 'A repeated request returns 404.';
  if (method !== 'POST') return 'A repeated request does no harm.';
  if (effect === 'idempotent') return 'A repeated request changes nothing and returns the same.';
  return 'A repeated request is performed again, unless it has the same `Idempotency-Key`.';
}

/** Returns the announcement of an action's removal. Empty for actions that stay. */
export function deprecationText({ deprecated }: Action): string {
  if (deprecated === null) return '';
  const { since, sunset, use } = deprecated;
  return `Deprecated since ${since}: use \`${use}\`. It may be removed from ${sunset} on.`;
}

/** Joins field names to a phrase, such as `a`, `b` and `c`. Each name is in backticks. */
export function listed(fields: readonly string[], word: 'and' | 'or'): string {
  const names = fields.map((field) => `\`${field}\``);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}

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
  connections: {
    name: 'Connections',
    description:
      'Logins of platform users. The id of a connection stands for `auth_token` in all calls. These calls are free and need no `auth_token`.',
  },
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
  if (tag === undefined) throw new Error(`no tag for the group ${group}: add one to src/actions/action-text.ts`);
  return tag;
}

/** Returns the tags of these actions, in the order of the document. */
export function tagsOf(actions: readonly Action[]): { name: string; description: string }[] {
  const used = new Set(actions.map(tagOf));
  return Object.values(groups).filter(({ name }) => used.has(name));
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
