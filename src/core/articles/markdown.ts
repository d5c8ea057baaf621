import type { Article } from '../../model/article.ts';
import { toMarkdown } from '../../model/rich-text/to-markdown.ts';
import type { PlatformArticle } from '../../platform/port.ts';

/** An article as callers see it: its content as Markdown. */
export function asArticle({ content, isOwn: _isOwn, ...summary }: PlatformArticle): Article {
  return { ...summary, content: toMarkdown(content) };
}
