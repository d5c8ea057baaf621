import type { ComponentChildren } from 'preact';
import { fromMarkdown } from '../../../shared/rich-text/from-markdown.ts';
import type { Block, Container, Entity, RichText, Style } from '../../../shared/rich-text/rich-text.ts';
import { ForeignLink } from './links.tsx';

/** Shows Markdown as HTML elements. Text that cannot be converted is shown unchanged. */
export function ArticleText({ markdown }: { markdown: string }) {
  let text: RichText;
  try {
    text = fromMarkdown(markdown);
  } catch {
    return <pre class="article-text">{markdown}</pre>;
  }
  return <div class="article-text">{blocksIn(text, text.blocks, 0)}</div>;
}

/** Renders blocks that have the same first `depth` containers. */
function blocksIn(text: RichText, blocks: readonly Block[], depth: number): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  for (let at = 0; at < blocks.length; ) {
    const start = at;
    const container = blocks[at]?.within[depth];
    do at++;
    while (container !== undefined && blocks[at]?.within[depth] === container);
    const group = blocks.slice(start, at);
    if (container === undefined)
      parts.push(...group.map((block) => <BlockView block={block} entities={text.entities} />));
    else parts.push(<ContainerView of={text.containers[container]}>{blocksIn(text, group, depth + 1)}</ContainerView>);
  }
  return parts;
}

function ContainerView({ of, children }: { of: Container | undefined; children: ComponentChildren }) {
  if (of?.type === 'quote') return <blockquote>{children}</blockquote>;
  if (of?.type === 'unordered-list') return <ul>{children}</ul>;
  if (of?.type === 'ordered-list') return <ol start={of.start}>{children}</ol>;
  return <li>{children}</li>;
}

// The title of the page is h1, and the title of the article is h2.
const headings = {
  'header-one': 'h3',
  'header-two': 'h4',
  'header-three': 'h5',
  'header-four': 'h6',
  'header-five': 'h6',
  'header-six': 'h6',
} as const;

function BlockView({ block, entities }: { block: Block; entities: readonly Entity[] }) {
  const { type, text, info } = block;
  if (type === 'divider') return <hr />;
  if (type === 'code-block') {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: only a focusable region can be scrolled with the keyboard.
      <pre tabIndex={0} data-language={info || undefined}>
        <code>{text}</code>
      </pre>
    );
  }
  const Tag = type === 'unstyled' ? 'p' : headings[type];
  return <Tag>{inline(block, entities)}</Tag>;
}

const tags: Readonly<Record<Style, 'strong' | 'em' | 'code'>> = { BOLD: 'strong', ITALIC: 'em', CODE: 'code' };

/** Splits a text where a style or a link starts or ends. Each piece gets the tags that apply to all of it. */
function inline({ text, styles, links }: Block, entities: readonly Entity[]): ComponentChildren[] {
  const ranges = [...styles, ...links].sort((a, b) => a.offset - b.offset);
  const edges = new Set([0, text.length, ...ranges.flatMap(({ offset, length }) => [offset, offset + length])]);
  const places = [...edges].sort((a, b) => a - b);
  let open: typeof ranges = [];
  let next = 0;
  return places.slice(0, -1).map((start, index) => {
    for (let range = ranges[next]; range !== undefined && range.offset <= start; range = ranges[++next])
      open.push(range);
    open = open.filter(({ offset, length }) => offset + length > start);
    return open.reduce<ComponentChildren>(
      (piece, range) => {
        if ('entity' in range) return <EntityView of={entities[range.entity]}>{piece}</EntityView>;
        const Tag = tags[range.style];
        return <Tag>{piece}</Tag>;
      },
      text.slice(start, places[index + 1]),
    );
  });
}

function EntityView({ of, children }: { of: Entity | undefined; children: ComponentChildren }) {
  if (of === undefined) return <>{children}</>;
  if (of.type === 'LINK') return <ForeignLink to={of.url}>{children}</ForeignLink>;
  return (
    <span class="article-picture">
      Picture{of.alt && `: ${of.alt}`} <ForeignLink to={of.url}>Open</ForeignLink>
    </span>
  );
}
