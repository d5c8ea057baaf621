import type { Action } from '../../../actions/action.ts';
import { alternativesRules, effectSentence } from '../../../actions/action-text.ts';
import { formatDollars } from '../../../shared/model/money.ts';
import type { JsonObject } from './shared.ts';

/** By the first part of an action's name, in the order of the document. */
const groups: Readonly<Record<string, { name: string; description: string }>> = {
  tweet: { name: 'Tweets', description: 'Search, post and answer tweets.' },
  user: { name: 'Users', description: 'Profiles, and who follows whom.' },
  list: { name: 'Lists', description: 'Lists of users.' },
  media: { name: 'Media', description: 'Images and videos for tweets and articles.' },
  article: { name: 'Articles', description: 'Long texts: drafts, and published ones.' },
  dm: { name: 'Direct messages', description: 'Encrypted conversations.' },
  events: { name: 'Events', description: 'What happens to an account, as it happens.' },
  webhooks: { name: 'Webhooks', description: 'Signed events, pushed to a URL of yours.' },
  account: {
    name: 'Account',
    description: 'Your API account: credit, usage and payments. Free, and without an `auth_token`.',
  },
};

/** The tag of an action. */
export function tagOf({ name }: Action): string {
  const group = name.split('/')[0] ?? '';
  const tag = groups[group]?.name;
  if (tag === undefined) throw new Error(`no tag for the group ${group}: add one to src/api/rest/openapi/words.ts`);
  return tag;
}

/** The tags that these actions use, in the order of the document. */
export function tagsOf(actions: readonly Action[]): JsonObject[] {
  const used = new Set(actions.map(tagOf));
  return Object.values(groups)
    .filter(({ name }) => used.has(name))
    .map(({ name, description }) => ({ name, description }));
}

/** `tweet/advanced_search` → `tweetAdvancedSearch`. */
export function operationIdOf({ name }: Action): string {
  return name.replaceAll(/[^A-Za-z0-9]+(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** What the schemas cannot say, in sentences. */
export function descriptionOf(action: Action): string {
  return [
    action.description,
    ...alternativesRules(action),
    action.paged === true ? '`next_cursor` of one page is the `cursor` of the next; it is null on the last.' : '',
    effectSentence(action),
    action.price === 0
      ? 'Free.'
      : `Costs ${formatDollars(action.price)} dollars when it succeeds, nothing when it fails.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
