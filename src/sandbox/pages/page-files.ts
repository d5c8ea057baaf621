import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that every page loads. */
export interface PageFile {
  readonly path: string;
  readonly type: string;
  readonly content: Buffer;
  readonly hash: string;
  /** The path with the hash of the content, so that a browser may keep the file. */
  readonly url: string;
}

const outline = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#a33b12"/><path d="M4 15c3-3 5-3 8 0s5 3 8 0M4 10c3-3 5-3 8 0s5 3 8 0" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>`;

export const pageIcon = pageFile('/media/icon.svg', 'image/svg+xml', Buffer.from(outline));
export const pageStyle = pageFile(
  '/media/page.css',
  'text/css; charset=utf-8',
  readFileSync(new URL('./page.css', import.meta.url)),
);
export const pageFiles: readonly PageFile[] = [pageIcon, pageStyle];

function pageFile(path: string, type: string, content: Buffer): PageFile {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 12);
  return { path, type, content, hash, url: `${path}?v=${hash}` };
}
