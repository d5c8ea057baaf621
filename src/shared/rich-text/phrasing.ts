import type { PhrasingContent } from 'mdast';
import {
  type Block,
  type Entity,
  type EntityRange,
  type Link,
  mediaSign,
  type PlacedMedia,
  type Style,
  type StyleRange,
} from './rich-text.ts';

/** A part of a text in which all characters have the same styles and link. */
interface Run {
  readonly text: string;
  readonly isCode: boolean;
  readonly media: PlacedMedia | undefined;
  readonly marks: readonly Mark[];
}

type Range = StyleRange | EntityRange;

/** A style or link around text. It may contain several runs. */
type Mark = Exclude<Style, 'CODE'> | Link;

/** Converts the text of a block to a tree of marks. If several marks begin at the same position, the longest is outermost. */
export function phrasing(block: Block, entities: readonly Entity[]): PhrasingContent[] {
  return nested(runsOf(block, entities), []);
}

function runsOf({ text, styles, links }: Block, entities: readonly Entity[]): Run[] {
  const ranges: Range[] = [...styles, ...links];
  const edges = new Set([0, text.length]);
  for (const { offset, length } of ranges) edges.add(offset).add(offset + length);
  const places = [...edges].filter((place) => place >= 0 && place <= text.length).sort((a, b) => a - b);
  const starting = ranges.toSorted((a, b) => a.offset - b.offset);
  let open: Range[] = [];
  let next = 0;
  return places.slice(0, -1).map((start, index) => {
    for (let range = starting[next]; range !== undefined && range.offset <= start; range = starting[++next])
      open.push(range);
    open = open.filter(({ offset, length }) => offset + length > start);
    return runOf(text.slice(start, places[index + 1]), open, entities);
  });
}

function runOf(text: string, ranges: readonly Range[], entities: readonly Entity[]): Run {
  const marks: Mark[] = [];
  let isCode = false;
  let media: PlacedMedia | undefined;
  for (const range of ranges) {
    if ('style' in range) {
      if (range.style === 'CODE') isCode = true;
      else if (!marks.includes(range.style)) marks.push(range.style);
      continue;
    }
    const entity = entities[range.entity];
    if (entity?.type === 'LINK') marks.push(entity);
    else if (text === mediaSign) media = entity;
  }
  return { text, isCode, media, marks };
}

function nested(runs: readonly Run[], around: readonly Mark[]): PhrasingContent[] {
  const made: PhrasingContent[] = [];
  for (let at = 0; at < runs.length; ) {
    const run = runs[at] as Run;
    let end = at;
    let widest: Mark | undefined;
    for (const mark of run.marks) {
      if (around.includes(mark)) continue;
      let reach = at;
      while (reach < runs.length && runs[reach]?.marks.includes(mark)) reach++;
      if (reach <= end) continue;
      widest = mark;
      end = reach;
    }
    if (widest === undefined) {
      made.push(...leaves(run));
      at++;
    } else {
      made.push(marked(widest, nested(runs.slice(at, end), [...around, widest])));
      at = end;
    }
  }
  return made;
}

function marked(mark: Mark, children: PhrasingContent[]): PhrasingContent {
  if (mark === 'BOLD') return { type: 'strong', children };
  if (mark === 'ITALIC') return { type: 'emphasis', children };
  // The cast is needed because the type of the tree forbids nested links, but link ranges of a platform may overlap.
  return { type: 'link', url: mark.url, title: mark.title || null, children: children as never };
}

function leaves({ text, isCode, media }: Run): PhrasingContent[] {
  if (media !== undefined) return [{ type: 'image', url: media.url, alt: media.alt, title: media.title || null }];
  if (isCode) return [{ type: 'inlineCode', value: text }];
  return text
    .split('\n')
    .flatMap((line, index): PhrasingContent[] => [
      ...(index > 0 ? [{ type: 'break' } as const] : []),
      ...(line === '' ? [] : [{ type: 'text', value: line } as const]),
    ]);
}
