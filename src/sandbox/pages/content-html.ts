import { headings } from '../../shared/rich-text/rich-text.ts';
import type { ArticleContent, ContentBlock, ContentContainer, ContentEntity } from '../../shared/rich-text/wire.ts';
import { SafeHtml, safeHtml } from './html.ts';

type PictureAt = (id: string) => string | undefined;

/** Renders article content as HTML. Text is escaped, and links send no referrer. */
export function contentHtml(content: ArticleContent, pictureAt: PictureAt): SafeHtml {
  return renderBlocks(content, content.blocks, 0, pictureAt);
}

function renderBlocks(
  content: ArticleContent,
  blocks: readonly ContentBlock[],
  depth: number,
  pictureAt: PictureAt,
): SafeHtml {
  const parts: SafeHtml[] = [];
  for (let at = 0; at < blocks.length; ) {
    const block = blocks[at] as ContentBlock;
    const place = block.within?.[depth];
    let end = at + 1;
    if (place === undefined) parts.push(renderBlock(content, block, pictureAt));
    else {
      while (end < blocks.length && blocks[end]?.within?.[depth] === place) end++;
      const body = renderBlocks(content, blocks.slice(at, end), depth + 1, pictureAt);
      parts.push(renderContainer(content.containers[place], body));
    }
    at = end;
  }
  return safeHtml`${parts}`;
}

const containerTags: Readonly<Record<string, string>> = {
  quote: 'blockquote',
  'unordered-list': 'ul',
  'list-item': 'li',
};

function renderContainer(container: ContentContainer | undefined, body: SafeHtml): SafeHtml {
  if (container?.type === 'ordered-list') return safeHtml`<ol start="${container.start ?? 1}">${body}</ol>`;
  const tag = containerTags[container?.type ?? ''];
  return tag === undefined ? body : new SafeHtml(`<${tag}>${body.text}</${tag}>`);
}

function renderBlock({ entities }: ArticleContent, block: ContentBlock, pictureAt: PictureAt): SafeHtml {
  if (block.type === 'divider') return safeHtml`<hr>`;
  if (block.type === 'code-block') return safeHtml`<pre><code>${block.text}</code></pre>`;
  const body = renderText(block, entities, pictureAt);
  // The only h1 on the page is its title, so headings in the content start at h2.
  const level = Math.min(6, (headings as readonly string[]).indexOf(block.type) + 2);
  if (level >= 2) return new SafeHtml(`<h${level}>${body.text}</h${level}>\n`);
  return block.text === '' ? safeHtml`` : safeHtml`<p>${body}</p>\n`;
}

const tags: Readonly<Record<string, string>> = { BOLD: 'strong', ITALIC: 'em', CODE: 'code' };

/**
 * Renders a text whose styles and links may overlap. The text is split where a style starts or ends, and each piece
 * gets all tags that apply to it.
 */
function renderText(
  { text, styles = [], entities: ranges = [] }: ContentBlock,
  entities: readonly ContentEntity[],
  pictureAt: PictureAt,
) {
  const all = [...styles, ...ranges];
  const edges = new Set([0, text.length, ...all.flatMap(({ offset, length }) => [offset, offset + length])]);
  const places = [...edges].sort((a, b) => a - b);
  const starting = all.toSorted((a, b) => a.offset - b.offset);
  let open: typeof all = [];
  let next = 0;
  const parts: SafeHtml[] = [];
  for (const [index, start] of places.slice(0, -1).entries()) {
    for (let range = starting[next]; range !== undefined && range.offset <= start; range = starting[++next])
      open.push(range);
    open = open.filter(({ offset, length }) => offset + length > start);
    let part = safeHtml`${text.slice(start, places[index + 1])}`;
    for (const range of open) {
      if ('entity' in range) part = wrapInTag(entities[range.entity], part, pictureAt);
      else part = new SafeHtml(`<${tags[range.style]}>${part.text}</${tags[range.style]}>`);
    }
    parts.push(part);
  }
  return safeHtml`${parts}`;
}

function wrapInTag(entity: ContentEntity | undefined, part: SafeHtml, pictureAt: PictureAt): SafeHtml {
  if (entity === undefined) return part;
  if (entity.type === 'LINK')
    return safeHtml`<a href="${entity.url}" title="${entity.title ?? ''}" rel="nofollow">${part}</a>`;
  const path = pictureAt(entity.media_id);
  if (path === undefined) return safeHtml`<i>${entity.alt ?? ''}</i>`;
  return safeHtml`<img class="media" loading="lazy" src="${path}" alt="${entity.alt ?? ''}" title="${entity.title ?? ''}">`;
}
