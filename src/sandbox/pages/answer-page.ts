import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dataset } from '../dataset/dataset.ts';
import type { User } from '../dataset/types.ts';
import { cookieToken } from '../http/guard.ts';
import { ranged } from '../http/range.ts';
import { videoAt } from '../media/clip.ts';
import { pictureAt } from '../media/pictures.ts';
import type { SandboxState } from '../platform.ts';
import { serveUpload } from '../uploads/answer-upload.ts';
import { articleView } from './article-view.ts';
import { STYLE_PATH, style } from './html.ts';
import { notice, type PageView, tweetView, userView } from './views.ts';

const POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const operationPaths = ['/api/', '/realms/', '/control/'];

/** The operations are below these three; whatever else is read is for browsers. */
export function isForBrowsers({ method, url = '/' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && !operationPaths.some((path) => url.startsWith(path));
}

/** Answers what a browser asks for: pages and their pictures. Says whether it did; the rest is for the operations. */
export async function servePage(
  platform: SandboxState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  // What a page shows must be on disk, as with every answer.
  if (platform.journal.pending) await platform.journal.settled();
  if (path === STYLE_PATH) {
    send(response, 200, 'text/css; charset=utf-8', Buffer.from(style), 'public, max-age=3600');
    return true;
  }
  const picture = pictureAt(platform.dataset, path, platform.now());
  if (picture !== undefined) {
    send(response, 200, 'image/png', picture, 'public, max-age=86400, immutable');
    return true;
  }
  const video = videoAt(platform.dataset, path);
  if (video !== undefined) {
    const { status, headers, start, end } = ranged(request, video.length);
    const bytes = video.subarray(start, end + 1);
    send(response, status, 'video/mp4', bytes, 'public, max-age=86400', headers);
    return true;
  }
  if (serveUpload(platform, path, request, response)) return true;
  const wantsHtml = request.headers.accept?.includes('text/html') === true && !path.startsWith('/media/');
  const missing = wantsHtml ? notice(404, 'Nothing here', 'No such page on this platform.') : undefined;
  const view = viewAt(platform.dataset, path, viewerOf(platform.dataset, request)) ?? missing;
  if (view === undefined) return false;
  send(response, view.status, 'text/html; charset=utf-8', Buffer.from(view.body), 'no-store');
  return true;
}

function viewerOf(dataset: Dataset, request: IncomingMessage): User | undefined {
  const token = cookieToken(request);
  return token === undefined ? undefined : dataset.userByToken(token);
}

function viewAt(dataset: Dataset, path: string, viewer: User | undefined): PageView | undefined {
  const written = /^\/(\w{1,15})\/(articles|drafts)\/(\d{1,20})$/.exec(path);
  if (written !== null) {
    const article = dataset.articles.find(written[3] ?? '');
    if (article === undefined || article.author !== dataset.userNamed(written[1] ?? '')) return undefined;
    return articleView(dataset, article, written[2] === 'drafts', viewer);
  }
  const match = /^\/(\w{1,15})(?:\/status\/(\d{1,20})(?:\/(?:photo|video)\/\d)?)?$/.exec(path);
  if (match === null) return undefined;
  const user = dataset.userNamed(match[1] ?? '');
  if (user === undefined) return undefined;
  if (match[2] === undefined) return userView(dataset, user);
  const tweet = dataset.tweet(match[2]);
  return tweet?.author === user ? tweetView(dataset, tweet) : undefined;
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: Buffer,
  cache: string,
  more: Record<string, string | number> = {},
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': body.length,
    'cache-control': cache,
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...more,
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
