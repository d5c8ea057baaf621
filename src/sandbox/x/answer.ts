import type { Dataset } from '../dataset/dataset.ts';
import type { Post } from '../dataset/timelines.ts';
import type { SandboxTweet, User } from '../dataset/types.ts';
import { hiddenFrom, hiddenRefusal, isActive, type Viewer } from '../dataset/visibility.ts';
import { jsonText, type SandboxResponse } from '../http/response.ts';
import { type ResourceProblem, resourceProblem } from './problems.ts';
import { mediaJson, mediaKey, mostRecentOf, postJson, referencesOf, userJson } from './render.ts';
import type { Selection } from './selection.ts';

/** The result of an operation, before it is rendered. */
export interface Answer {
  /** A list, one object, or undefined if the object was not found. */
  readonly data: readonly (User | Post)[] | User | Post | undefined;
  readonly problems?: readonly ResourceProblem[];
  readonly meta?: object;
  /** The user whom the list belongs to. */
  readonly owner?: User;
}

const isUser = (item: User | Post): item is User => 'screenName' in item;

export function render(dataset: Dataset, viewer: Viewer, selection: Selection, answer: Answer): SandboxResponse {
  const { data, owner } = answer;
  const form = (item: User | Post) =>
    isUser(item) ? userJson(dataset, item, viewer, selection) : postJson(dataset, item, viewer, selection);
  const isList = Array.isArray(data);
  const items: readonly (User | Post)[] = isList ? data : data === undefined ? [] : [data as User | Post];
  const parts: string[] = [];
  if (items.length > 0) parts.push(`"data":${isList ? `[${items.map(form).join(',')}]` : items.map(form).join('')}`);
  const included = new Included(dataset, viewer, selection, answer.problems ?? []);
  if (selection.expansions.size > 0) for (const item of items) included.addAround(item);
  const includes = included.json();
  if (includes !== '') parts.push(`"includes":{${includes}}`);
  if (included.problems.length > 0) {
    parts.push(`"errors":${JSON.stringify(included.problems.map((each) => resourceProblem(each, selection)))}`);
  }
  const meta = {
    ...answer.meta,
    ...(selection.extended && {
      viewer_id: viewer?.id,
      ...(owner && { owner: { id: owner.id, username: owner.screenName } }),
    }),
  };
  const metaText = JSON.stringify(meta);
  if (metaText !== '{}') parts.push(`"meta":${metaText}`);
  return jsonText(`{${parts.join(',')}}`);
}

/** The objects that the expansions of a request add to its answer. */
class Included {
  readonly problems: ResourceProblem[];
  readonly #users = new Set<User>();
  readonly #posts = new Set<Post>();
  readonly #media = new Map<string, string>();
  readonly #dataset: Dataset;
  readonly #viewer: Viewer;
  readonly #selection: Selection;

  constructor(dataset: Dataset, viewer: Viewer, selection: Selection, problems: readonly ResourceProblem[]) {
    this.#dataset = dataset;
    this.#viewer = viewer;
    this.#selection = selection;
    this.problems = [...problems];
  }

  addAround(item: User | Post): void {
    const { expansions } = this.#selection;
    if (isUser(item)) {
      const pinned = item.pinned
        .slice(0, this.#selection.extended ? undefined : 1)
        .map((id) => this.#dataset.tweet(id));
      if (expansions.has('pinned_post_id')) for (const tweet of pinned) this.#addPost('pinned_post_id', tweet);
      if (expansions.has('most_recent_post_id')) this.#addPost('most_recent_post_id', mostRecentOf(item));
      if (expansions.has('affiliation')) {
        for (const [organization, members] of this.#dataset.affiliates) {
          if (members.includes(item)) this.#users.add(organization);
        }
      }
      return;
    }
    if (expansions.has('author_id')) this.#users.add(item.author);
    if (expansions.has('referenced_posts'))
      for (const [type, tweet] of referencesOf(item)) this.#addReferenced(type, tweet);
    if ('of' in item) return;
    if (expansions.has('attachments.media_keys')) this.#addMedia(item);
    if (expansions.has('in_reply_to_user_id')) this.#addUser(item.replyTo?.author);
    if (expansions.has('entities.mentions.username'))
      for (const { user } of item.entities.mentions) this.#addUser(user);
  }

  /** Adds a post that another one refers to. By extension its author and its media are added too, if it is shown inside the other. */
  #addReferenced(type: string, tweet: SandboxTweet): void {
    if (!this.#addPost('referenced_posts', tweet)) return;
    const { expansions, extended } = this.#selection;
    const isInside = extended && type !== 'replied_to';
    const has = (name: string) => expansions.has(`referenced_posts.${name}`) || (isInside && expansions.has(name));
    if (has('author_id')) this.#users.add(tweet.author);
    if (has('attachments.media_keys')) this.#addMedia(tweet);
    if (isInside && type === 'retweeted' && tweet.quoteOf) this.#addReferenced('quoted', tweet.quoteOf);
  }

  #addPost(parameter: string, tweet: SandboxTweet | undefined): boolean {
    if (tweet === undefined) return false;
    const hidden = hiddenFrom(this.#viewer, tweet);
    if (hidden === undefined) this.#posts.add(tweet);
    else
      this.problems.push({ refusal: hiddenRefusal(hidden, tweet.id), resource: 'tweet', parameter, value: tweet.id });
    return hidden === undefined;
  }

  #addUser(user: User | undefined): void {
    if (user !== undefined && isActive(user)) this.#users.add(user);
  }

  #addMedia(tweet: SandboxTweet): void {
    for (const [index, media] of tweet.media.entries()) {
      const key = mediaKey(tweet, index);
      this.#media.set(key, mediaJson(this.#dataset, media, key, tweet.views ?? 0, this.#selection.media));
    }
  }

  json(): string {
    const dataset = this.#dataset;
    const users = [...this.#users].map((user) => userJson(dataset, user, this.#viewer, this.#selection));
    const posts = [...this.#posts].map((post) => postJson(dataset, post, this.#viewer, this.#selection));
    const all = { users, [this.#selection.as('posts')]: posts, media: [...this.#media.values()] };
    const filled = Object.entries(all).filter(([, items]) => items.length > 0);
    return filled.map(([name, items]) => `"${name}":[${items.join(',')}]`).join(',');
  }
}
