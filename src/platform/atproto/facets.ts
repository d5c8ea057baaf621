import type * as Facet from '@atcute/bluesky/types/app/richtext/facet';
import { findLinks, withoutLinks } from '../../shared/text/links.ts';

/** A mention, link or hashtag in a text. The handle of a mention still has to be resolved. */
export type Mark =
  | { kind: 'mention'; handle: string; start: number; end: number }
  | { kind: 'link'; uri: string; start: number; end: number }
  | { kind: 'tag'; tag: string; start: number; end: number };

/**
 * The forms of mentions and hashtags that clients of the network recognize:
 * https://docs.bsky.app/docs/advanced-guides/post-richtext
 */
const mention =
  /(?<=^|[\s(])@([a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+)\b/g;
const tag = /(?<=^|\s)[#＃]([^\s\p{Cf}]{1,200})/gu;

/** The lexicon allows 64 graphemes in a hashtag. The code counts UTF-16 units, which are never fewer. */
const maxTag = 64;

/** Finds mentions, links and hashtags. Positions are UTF-16 indices. */
export function findMarks(text: string): Mark[] {
  const links = findLinks(text);
  const rest = withoutLinks(text, links);
  const marks: Mark[] = links.map(({ link, start, end }) => {
    return { kind: 'link', uri: /^https?:/i.test(link) ? link : `https://${link}`, start, end };
  });
  for (const match of rest.matchAll(mention)) {
    marks.push({ kind: 'mention', handle: match[1] ?? '', start: match.index, end: match.index + match[0].length });
  }
  for (const match of rest.matchAll(tag)) {
    const word = (match[1] ?? '').replace(/[\p{P}]+$/u, '');
    if (word === '' || /^\d+$/.test(word) || word.length > maxTag) continue;
    marks.push({ kind: 'tag', tag: word, start: match.index, end: match.index + 1 + word.length });
  }
  return marks.sort((a, b) => a.start - b.start);
}

/** Returns the facets of the marks. `dids` maps handles to DIDs. A mention whose handle has no DID gets no facet. */
export function facetsOf(text: string, marks: readonly Mark[], dids: ReadonlyMap<string, string>): Facet.Main[] {
  const byteAt = (index: number) => Buffer.byteLength(text.slice(0, index));
  return marks.flatMap((mark) => {
    const feature = featureOf(mark, dids);
    if (!feature) return [];
    return [
      { index: { byteStart: byteAt(mark.start), byteEnd: byteAt(mark.end) }, features: [feature] },
    ] as Facet.Main[];
  });
}

function featureOf(mark: Mark, dids: ReadonlyMap<string, string>) {
  if (mark.kind === 'link') return { $type: 'app.bsky.richtext.facet#link', uri: mark.uri };
  if (mark.kind === 'tag') return { $type: 'app.bsky.richtext.facet#tag', tag: mark.tag };
  const did = dids.get(mark.handle);
  return did === undefined ? null : { $type: 'app.bsky.richtext.facet#mention', did };
}
