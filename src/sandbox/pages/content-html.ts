import type { ArticleContent, ContentBlock, ContentContainer, ContentEntity } from '../dataset/content.ts';
import { html, SafeHtml } from './html.ts';

type PictureAt = (id: string) => string | undefined;

/** What an article says, as HTML of its own making: text is escaped, links go out with no word of where from. */
export function contentHtml(content: ArticleContent, pictureAt: PictureAt): SafeHtml {
  return inside(content, content.blocks, 0, pictureAt);
}

function inside(
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
    if (place === undefined) parts.push(leaf(content, block, pictureAt));
    else {
      while (end < blocks.length && blocks[end]?.within?.[depth] === place) end++;
      const body = inside(content, blocks.slice(at, end), depth + 1, pictureAt);
      parts.push(contained(content.containers[place], body));
    }
    at = end;
  }
  return html`${parts}`;
}

function contained(container: ContentContainer | undefined, body: SafeHtml): SafeHtml {
  switch (container?.type) {
    case 'quote':
      return html`<blockquote>${body}</blockquote>`;
    case 'unordered-list':
      return html`<ul>${body}</ul>`;
    case 'ordered-list':
      return html`<ol start="${container.start ?? 1}">${body}</ol>`;
    case 'list-item':
      return html`<li>${body}</li>`;
    default:
      return body;
  }
}

const headings = ['header-one', 'header-two', 'header-three', 'header-four', 'header-five', 'header-six'];

function leaf({ entities }: ArticleContent, block: ContentBlock, pictureAt: PictureAt): SafeHtml {
  if (block.type === 'divider') return html`<hr>`;
  if (block.type === 'code-block') return html`<pre><code>${block.text}</code></pre>`;
  const body = phrase(block, entities, pictureAt);
  // The title is the page's only h1.
  const level = Math.min(6, headings.indexOf(block.type) + 2);
  if (level >= 2) return new SafeHtml(`<h${level}>${body.text}</h${level}>\n`);
  return block.text === '' ? html`` : html`<p>${body}</p>\n`;
}

const tags: Readonly<Record<string, string>> = { BOLD: 'strong', ITALIC: 'em', CODE: 'code' };

/** Stretch by stretch, each with all of its marks around it: what reaches over several of them looks the same. */
function phrase(
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
    let part = html`${text.slice(start, places[index + 1])}`;
    for (const range of open) {
      if ('entity' in range) part = around(entities[range.entity], part, pictureAt);
      else part = new SafeHtml(`<${tags[range.style]}>${part.text}</${tags[range.style]}>`);
    }
    parts.push(part);
  }
  return html`${parts}`;
}

function around(entity: ContentEntity | undefined, part: SafeHtml, pictureAt: PictureAt): SafeHtml {
  if (entity === undefined) return part;
  if (entity.type === 'LINK')
    return html`<a href="${entity.url}" title="${entity.title ?? ''}" rel="nofollow">${part}</a>`;
  const path = pictureAt(entity.media_id);
  if (path === undefined) return html`<i>${entity.alt ?? ''}</i>`;
  return html`<img class="media" loading="lazy" src="${path}" alt="${entity.alt ?? ''}" title="${entity.title ?? ''}">`;
}
