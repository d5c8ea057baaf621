import { fromMarkdown } from '../../shared/rich-text/from-markdown.ts';
import { type Block, type Entity, headings, mediaSign, type RichText } from '../../shared/rich-text/rich-text.ts';
import { toMarkdown } from '../../shared/rich-text/to-markdown.ts';

/** The content of an article on X: https://docs.x.com/x-api/articles. It is that of DraftJS, with other names and without nesting. */
interface ContentState {
  readonly blocks: XBlock[];
  readonly entities: { key: string; value: { type: string; mutability: 'mutable' | 'immutable'; data: object } }[];
}

interface XBlock {
  readonly type: string;
  readonly text: string;
  readonly inline_style_ranges?: readonly { offset: number; length: number; style: string }[];
  readonly entity_ranges?: readonly { offset: number; length: number; key: number }[];
}

/** A block without its pictures. */
interface Words {
  readonly block: Block;
  /** The pictures that the block had, which follow it. */
  readonly pictures: readonly Extract<Entity, { type: 'MEDIA' }>[];
}

const xStyles: Readonly<Record<string, string>> = { BOLD: 'bold', ITALIC: 'italic' };
const xHeadings: readonly string[] = headings.slice(0, 3);

/**
 * Converts rich text to X's form. What has no block of X, such as a nested list, becomes a block of Markdown. What is lost is a table in
 * docs/x.md. Writing, reading and writing again gives the same.
 */
export function toContentState(text: RichText): ContentState {
  const state: ContentState = { blocks: [], entities: [] };
  for (const group of groupsOf(text)) {
    const blocks = group.filter(({ block, pictures }) => block.text !== '' || pictures.length === 0);
    const type =
      blocks.length === 0
        ? null
        : typeOf(
            text,
            blocks.map(({ block }) => block),
          );
    if (type === 'divider') addAtom(state, 'divider', {});
    else if (type === 'markdown') {
      // Read and written once more, because a list that loses a picture may have another form, which it would get when it is read.
      const markdown = toMarkdown(fromMarkdown(toMarkdown({ ...text, blocks: blocks.map(({ block }) => block) })));
      addAtom(state, 'markdown', { markdown });
    } else if (type !== null) for (const { block } of blocks) addWords(state, text, type, block);
    for (const { mediaId, alt } of group.flatMap(({ pictures }) => pictures)) {
      const media_items = [{ media_id: mediaId, media_category: 'tweet_image' }];
      addAtom(state, 'image', { media_items, ...(alt !== '' && { caption: alt }) });
    }
  }
  return state;
}

/** Returns the blocks that have the same outermost container together, and each other one alone. */
function groupsOf({ blocks, entities }: RichText): Words[][] {
  const groups: Words[][] = [];
  let last: number | undefined;
  for (const block of blocks) {
    const [outermost] = block.within;
    const words = withoutPictures(block, entities);
    if (outermost !== undefined && outermost === last) groups.at(-1)?.push(words);
    else groups.push([words]);
    last = outermost;
  }
  return groups;
}

function withoutPictures(block: Block, entities: readonly Entity[]): Words {
  const pictures = block.links.flatMap(({ entity: at }) => {
    const entity = entities[at];
    return entity?.type === 'MEDIA' ? [entity] : [];
  });
  if (pictures.length === 0) return { block, pictures };
  const links = block.links.filter(({ entity }) => entities[entity]?.type === 'LINK');
  const signs = [...block.text.matchAll(new RegExp(mediaSign, 'g'))];
  const cut = edited(
    { ...block, links },
    signs.map(({ index }) => ({ offset: index, length: 1, by: '' })),
  );
  return { block: /\S/.test(cut.text) ? cut : { ...cut, text: '', styles: [], links: [] }, pictures };
}

/** Returns the type of X's blocks for a group, or `markdown` if X has none for it. */
function typeOf({ containers }: RichText, blocks: readonly Block[]): string {
  const [{ type, within } = { type: '', within: [] }] = blocks;
  const container = containers[within[0] ?? -1];
  if (container === undefined)
    return type === 'divider' || type === 'unstyled' || xHeadings.includes(type) ? type : 'markdown';
  const isFlat = (depth: number) => blocks.every((block) => block.type === 'unstyled' && block.within.length === depth);
  if (container.type === 'quote') return isFlat(1) ? 'blockquote' : 'markdown';
  const items = new Set(blocks.map((block) => block.within[1]));
  const isSimple =
    isFlat(2) && items.size === blocks.length && (container.type === 'unordered-list' || isFromOne(container));
  return isSimple ? `${container.type}-item` : 'markdown';
}

function isFromOne(container: RichText['containers'][number]): boolean {
  return container.type === 'ordered-list' && container.start === 1;
}

/** Adds a block of text. Inline code keeps its backticks, because X has no style for it. */
function addWords(state: ContentState, { entities }: RichText, type: string, block: Block): void {
  const ticks = block.styles
    .filter(({ style }) => style === 'CODE')
    .flatMap(({ offset, length }) => [offset, offset + length])
    .toSorted((a, b) => a - b);
  const { text, styles, links } = edited(
    block,
    ticks.map((offset) => ({ offset, length: 0, by: '`' })),
  );
  if (text === '' && type === 'unstyled') return;
  const styled = styles.flatMap(({ style, ...range }) => (xStyles[style] ? [{ ...range, style: xStyles[style] }] : []));
  const linked = links.map(({ entity, ...range }) => {
    const key = addEntity(state, 'link', { url: entities[entity]?.url });
    return { ...range, key };
  });
  state.blocks.push({
    type,
    text,
    ...(styled.length > 0 && { inline_style_ranges: styled }),
    ...(linked.length > 0 && { entity_ranges: linked }),
  });
}

function addAtom(state: ContentState, type: string, data: object): void {
  const key = addEntity(state, type, data);
  state.blocks.push({ type: 'atomic', text: ' ', entity_ranges: [{ key, offset: 0, length: 1 }] });
}

function addEntity({ entities }: ContentState, type: string, data: object): number {
  const mutability = type === 'link' || type === 'markdown' ? 'mutable' : 'immutable';
  return entities.push({ key: String(entities.length), value: { type, mutability, data } }) - 1;
}

interface Edit {
  readonly offset: number;
  readonly length: number;
  readonly by: string;
}

/** Replaces parts of a text. Its styles and links move with it. The edits are in order. */
function edited(block: Block, edits: readonly Edit[]): Block {
  if (edits.length === 0) return block;
  let text = '';
  let end = 0;
  for (const { offset, length, by } of edits) {
    text += block.text.slice(end, offset) + by;
    end = offset + length;
  }
  text += block.text.slice(end);
  // What is inserted at the end of a range stays outside of it.
  const moved = (at: number, isEnd: boolean) =>
    edits
      .filter(({ offset, length }) => (isEnd && length === 0 ? offset < at : offset + length <= at))
      .reduce((sum, { length, by }) => sum + by.length - length, at);
  const move = <Range extends { offset: number; length: number }>(range: Range): Range[] => {
    const offset = moved(range.offset, false);
    const length = moved(range.offset + range.length, true) - offset;
    return length > 0 ? [{ ...range, offset, length }] : [];
  };
  return { ...block, text, styles: block.styles.flatMap(move), links: block.links.flatMap(move) };
}
