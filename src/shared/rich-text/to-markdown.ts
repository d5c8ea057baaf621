import type { BlockContent, List, ListItem, PhrasingContent, Root, RootContent } from 'mdast';
import { type Options, toMarkdown as write } from 'mdast-util-to-markdown';
import { phrasing } from './phrasing.ts';
import { type Block, type Container, headings, type RichText } from './rich-text.ts';

const options: Options = {
  bullet: '-',
  emphasis: '*',
  fence: '`',
  fences: true,
  listItemIndent: 'one',
  rule: '-',
};

/** Converts rich text to Markdown. Parsing the result gives the same rich text again. */
export function toMarkdown(text: RichText): string {
  const root: Root = { type: 'root', children: children(text, text.blocks, 0) as RootContent[] };
  return write(root, options).replace(/\n$/, '');
}

/** Returns the nodes of the containers at `depth`. Consecutive blocks with the same container at this depth belong together. */
function children(text: RichText, blocks: readonly Block[], depth: number): BlockContent[] {
  const made: BlockContent[] = [];
  for (let at = 0; at < blocks.length; ) {
    const block = blocks[at] as Block;
    const place = block.within[depth];
    if (place === undefined) {
      made.push(...leaf(text, block));
      at++;
      continue;
    }
    let end = at;
    while (end < blocks.length && blocks[end]?.within[depth] === place) end++;
    const container = text.containers[place];
    const inside = blocks.slice(at, end);
    if (container !== undefined) made.push(contained(text, container, inside, depth + 1));
    at = end;
  }
  return made;
}

function contained(text: RichText, container: Container, blocks: readonly Block[], depth: number): BlockContent {
  switch (container.type) {
    case 'quote':
      return { type: 'blockquote', children: children(text, blocks, depth) };
    case 'unordered-list':
      return list({ ordered: false, spread: container.loose }, text, blocks, depth);
    case 'ordered-list':
      return list({ ordered: true, spread: container.loose, start: container.start }, text, blocks, depth);
    case 'list-item':
      // A list item outside of a list is invalid rich text, so a list is created around it.
      return list({ ordered: false, spread: false }, text, blocks, depth - 1);
  }
}

function list(how: Omit<List, 'type' | 'children'>, text: RichText, blocks: readonly Block[], depth: number): List {
  const items: ListItem[] = [];
  for (let at = 0; at < blocks.length; ) {
    const place = blocks[at]?.within[depth];
    let end = at + 1;
    while (place !== undefined && end < blocks.length && blocks[end]?.within[depth] === place) end++;
    const spread = how.spread ?? false;
    items.push({ type: 'listItem', spread, children: asTask(children(text, blocks.slice(at, end), depth + 1)) });
    at = end;
  }
  return { type: 'list', ...how, children: items };
}

/** Leaves the checkbox at the start of a list item unescaped: `[ ] `, not `\[ ] `. */
function asTask(item: BlockContent[]): BlockContent[] {
  const [paragraph, ...others] = item;
  if (paragraph?.type !== 'paragraph') return item;
  const [first, ...rest] = paragraph.children;
  if (first?.type !== 'text' || !/^\[[ xX]\] (?:\S|$)/.test(first.value)) return item;
  const [box, words] = [first.value.slice(0, 4), first.value.slice(4)];
  if (words === '' && rest.length === 0) return item;
  const text: PhrasingContent[] = words === '' ? [] : [{ type: 'text', value: words }];
  return [{ ...paragraph, children: [{ type: 'html', value: box }, ...text, ...rest] }, ...others];
}

function leaf({ entities }: RichText, block: Block): BlockContent[] {
  if (block.type === 'divider') return [{ type: 'thematicBreak' }];
  if (block.type === 'code-block') {
    const [, lang = null, meta = null] = /^(\S+)(?:\s+(.*))?$/s.exec(block.info) ?? [];
    return [{ type: 'code', value: block.text, lang, meta: meta ?? null }];
  }
  const inside = phrasing(block, entities);
  const level = (headings as readonly string[]).indexOf(block.type) + 1;
  if (level > 0) return [{ type: 'heading', depth: level as 1 | 2 | 3 | 4 | 5 | 6, children: inside }];
  return inside.length === 0 ? [] : [{ type: 'paragraph', children: inside }];
}
