import { LinkifyIt, REBuilder } from 'linkify-it';
import tlds from 'tlds' with { type: 'json' };

export interface FoundLink {
  /** The link as written, with or without a scheme. */
  readonly link: string;
  /** UTF-16 indices. */
  readonly start: number;
  readonly end: number;
}

/** Scripts that are written without spaces, or with endings at foreign words. */
const unspaced = ['Hani', 'Hira', 'Kana', 'Bopo', 'Hang', 'Thai', 'Laoo', 'Khmr', 'Mymr'].map(
  (name) => `\\p{scx=${name}}`,
);
/** Matches hosts after a scheme, which may have letters of any script, and characters that end a link elsewhere. */
const hostsAndEnds = new RegExp(
  [
    String.raw`(?<=:\/\/)(?<host>(?:[\p{L}\p{M}\p{N}-]{1,63}\.){1,10}?(?:[a-z]{2,}|\p{L}{2,}))`,
    String.raw`[^\p{ASCII}\p{L}\p{M}\p{N}]`,
    `[${unspaced.join('')}]`,
    String.raw`["\x60]|(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])`,
    String.raw`\*\*|~~|\|\|`,
  ].join('|'),
  'giu',
);

/** The host of a link ends with a top-level domain, not with a number. */
const namedHost = /^(?:https?:\/\/)?[^/?#:]+\.(?:\p{L}{2,}|xn--[a-z0-9-]+)(?![^/?#:])/iu;
const trailing = /(?<![*~|^.,;:!?])[*~|^.,;:!?]+$/;

/** Letters and digits of a host. Other characters beyond ASCII were replaced by spaces before. */
const letter = 'a-z0-9\\x80-\\uffff';
const label = new RegExp(`[${letter}](?:[${letter}_-]{0,61}[${letter}])?`);
const hostEnd = new RegExp(`(?!\\.?[${letter}_-]|@)`);
const scheme = /()((?<![a-z0-9@#$])https?:)/gi;

/** Finds links after any character, except within words, mentions, hashtags and paths. */
class Patterns extends REBuilder {
  override get_domain = () => label;
  override get_host_terminator = () => hostEnd;
  override get_schema_search = () => scheme;

  override get_fuzzy_link_search(): RegExp {
    const link = this.get_fuzzy_url_host_port().source + this.get_path().source;
    this.cache['link_fuzzy_search'] ??= new RegExp(`()(?<![${letter}_@#$./-])${link}`, 'gi');
    return this.cache['link_fuzzy_search'];
  }
}

/** Created on first use, because it compiles long patterns. */
let linkifier: LinkifyIt | undefined;

/** Finds http and https links. A link needs no scheme if its top-level domain exists or is `example` (RFC 2606). */
export function findLinks(text: string): FoundLink[] {
  if (!/\.\S/.test(text)) return [];
  linkifier ??= new LinkifyIt({
    rebuilder: new Patterns(),
    fuzzyLink: true,
    fuzzyEmail: false,
    tlds: [...tlds, 'example'],
  });
  const spaced = text.replace(hostsAndEnds, (found, host) => host ?? ' '.repeat(found.length));
  return (linkifier.match(spaced) ?? []).flatMap(({ raw, index: start }) => {
    const link = raw.replace(spaced[start - 1] === '_' ? /(?<!_)_+$/ : '', '').replace(trailing, '');
    const end = start + link.length;
    return namedHost.test(link) ? [{ link, start, end }] : [];
  });
}

/** Replaces links by spaces, so that no mention or hashtag is found in a link. */
export function withoutLinks(text: string, links: readonly FoundLink[]): string {
  let rest = '';
  for (const { start, end } of links) rest += text.slice(rest.length, start) + ' '.repeat(end - start);
  return rest + text.slice(rest.length);
}
