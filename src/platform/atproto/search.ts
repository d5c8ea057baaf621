import type * as Feed from '@atcute/bluesky/types/app/feed/defs';
import { isActorIdentifier, isLanguageCode } from '@atcute/lexicons/syntax';
import { malformedField } from '../../shared/errors/fields.ts';

/** The parameters of `app.bsky.feed.searchPosts`, and filters that this method does not support. */
export interface PostSearch {
  q: string;
  author?: string;
  mentions?: string;
  since?: string;
  until?: string;
  lang?: string;
  filters: readonly PostFilter[];
}

const postFilters = ['media', 'images', 'videos', 'links', 'replies', 'quote'] as const;
export type PostFilter = (typeof postFilters)[number];
type Draft = { -readonly [Key in keyof PostSearch]: PostSearch[Key] } & { filters: PostFilter[] };

const operator = /^(-?)([a-z_]+):(\S+)$/i;
const day = /^\d{4}-\d\d-\d\d$/;

/** Maps the operators of a search. Throws `bad_input` for an operator that the network does not have. */
export function parseSearch(text: string): PostSearch {
  const search: Draft = { q: '', filters: [] };
  const rest: string[] = [];
  // Quoted phrases stay as they are.
  for (const part of text.match(/"[^"]*"|[^"\s]+/g) ?? []) {
    const [whole, minus = '', name = '', value = ''] = operator.exec(part) ?? [];
    if (whole === undefined || /^https?$/i.test(name)) rest.push(part);
    else if (minus !== '') throw unknownOperator(`-${name}:`);
    else apply(search, name.toLowerCase(), value);
  }
  // Servers without a search index support the author only as part of the query.
  if (search.author !== undefined) rest.push(`from:${search.author}`);
  // The method requires a query. A star matches every post.
  search.q = rest.join(' ') || '*';
  return search;
}

function apply(search: Draft, name: string, value: string): void {
  switch (name) {
    case 'from':
      search.author = readActor(name, value);
      return;
    case 'mentions':
      search.mentions = readActor(name, value);
      return;
    case 'lang':
      if (!isLanguageCode(value)) throw malformedField('q', 'lang: must be a language code such as en or pt-BR');
      search.lang = value;
      return;
    case 'since':
    case 'until': {
      const at = day.test(value) ? Date.parse(`${value}T00:00:00.000Z`) : Number.NaN;
      if (Number.isNaN(at)) throw malformedField('q', `${name}: must be a day such as 2026-11-21`);
      search[name] = new Date(at).toISOString();
      return;
    }
    case 'filter': {
      const filter = postFilters.find((known) => known === value.toLowerCase());
      if (!filter) throw malformedField('q', `filter: must be one of ${postFilters.join(', ')}`);
      search.filters.push(filter);
      return;
    }
    default:
      throw unknownOperator(`${name}:`);
  }
}

function readActor(name: string, value: string): string {
  const actor = value.replace(/^@/, '');
  if (!isActorIdentifier(actor))
    throw malformedField('q', `${name}: must be a handle such as alice.example.org, or a DID`);
  return actor;
}

function unknownOperator(name: string) {
  return malformedField('q', `unknown search operator: ${name}`);
}

/** Checks a post against the parts of a search that servers ignore: filters, and times if there is no search index. */
export function matchesSearch(post: Feed.PostView, { filters, since, until }: PostSearch): boolean {
  const { createdAt } = post.record as { createdAt?: string };
  const at = Date.parse(createdAt ?? post.indexedAt);
  if (since !== undefined && at < Date.parse(since)) return false;
  if (until !== undefined && at >= Date.parse(until)) return false;
  return filters.every((filter) => passesFilter(post, filter));
}

function passesFilter({ embed, record }: Feed.PostView, filter: PostFilter): boolean {
  const type = embed?.$type ?? '';
  const media = embed?.$type === 'app.bsky.embed.recordWithMedia#view' ? (embed.media.$type ?? '') : type;
  switch (filter) {
    case 'images':
      return media === 'app.bsky.embed.images#view';
    case 'videos':
      return media === 'app.bsky.embed.video#view';
    case 'media':
      return media === 'app.bsky.embed.images#view' || media === 'app.bsky.embed.video#view';
    case 'quote':
      return type === 'app.bsky.embed.record#view' || type === 'app.bsky.embed.recordWithMedia#view';
    case 'replies':
      return (record as { reply?: unknown }).reply !== undefined;
    case 'links':
      return type === 'app.bsky.embed.external#view' || hasLink(record);
  }
}

function hasLink(record: unknown): boolean {
  const { facets } = record as { facets?: unknown };
  return JSON.stringify(facets ?? []).includes('app.bsky.richtext.facet#link');
}
