import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dataset } from '../dataset/dataset.ts';
import type { User } from '../dataset/types.ts';
import { readText } from '../http/body.ts';
import { cookieToken } from '../http/guard.ts';
import { Problem } from '../http/problem.ts';
import { resolveRange } from '../http/range.ts';
import { videoAt } from '../media/clip.ts';
import { pictureAt } from '../media/pictures.ts';
import type { SandboxState } from '../platform.ts';
import { serveUpload } from '../uploads/serve-upload.ts';
import { articleView } from './article-view.ts';
import { composePage } from './composer.ts';
import { compress } from './compress.ts';
import { performForm } from './forms.ts';
import { labPage, livePage } from './lab-page.ts';
import { notice, renderPage } from './layout.ts';
import { conversationPage, conversationsPage } from './messages-page.ts';
import { pageFiles } from './page-files.ts';
import { type ProfileTab, profilePage } from './profile-page.ts';
import { checkOrigin, sessionUser } from './session.ts';
import type { PageCall, PageView } from './site.ts';
import { threadPage } from './thread-page.ts';
import { articlesPage, bookmarksPage, homePage, notificationsPage, searchPage } from './timeline-pages.ts';

const POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** A tweet of 25,000 characters fits, also if each takes 9 bytes. */
const maxFormBytes = 256 * 1024;

const operationPaths = ['/api/', '/realms/', '/control/'];
const formPath = '/i/do/';

/** Returns true for paths that browsers request. API operations have paths under the three excluded prefixes. */
export function isPageRequest({ method, url = '/' }: IncomingMessage): boolean {
  if (method === 'POST') return url.startsWith(formPath);
  return (method === 'GET' || method === 'HEAD') && !operationPaths.some((path) => url.startsWith(path));
}

/** Serves pages, forms and pictures to browsers. Returns false if the path is none of them. */
export async function servePage(
  platform: SandboxState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const [path = '/', search = ''] = (request.url ?? '/').split('?', 2);
  const query = new URLSearchParams(search);
  // A page may show only writes that are on disk, like every other response.
  if (platform.journal.pending) await platform.journal.settled();
  const file = pageFiles.find((each) => each.path === path);
  if (file !== undefined) {
    // A page that another version has sent may request the file of that version.
    const cache = query.get('v') === file.hash ? 'public, max-age=31536000, immutable' : 'no-cache';
    await sendText(response, 200, file.type, file.content, cache);
    return true;
  }
  if (serveMedia(platform, path, request, response)) return true;
  const wantsHtml = request.headers.accept?.includes('text/html') === true && !path.startsWith('/media/');
  const viewer = sessionUser(platform.dataset, request) ?? tokenUser(platform.dataset, request);
  const call: PageCall = { platform, viewer, path, query };
  let view: PageView | undefined;
  try {
    if (request.method === 'POST') view = await answerForm(call, request, response);
    else view = await viewAt(call);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // Programs get the problem of the API for a path that is no page.
    if (error.status === 404 && !wantsHtml) return false;
    view = notice(error.status, titles[error.status] ?? 'That did not work', `${error.message}.`);
  }
  if (response.headersSent) return true;
  view ??= wantsHtml ? notice(404, 'Nothing here', 'No such page on this platform.') : undefined;
  if (view === undefined) return false;
  const refresh = view.refreshSeconds === undefined ? {} : { refresh: view.refreshSeconds };
  const html = Buffer.from(renderPage(call, view));
  await sendText(response, view.status, 'text/html; charset=utf-8', html, 'no-store', refresh);
  return true;
}

const titles: Readonly<Record<number, string>> = {
  401: 'Sign in',
  403: 'Not allowed',
  404: 'Nothing here',
  409: 'Not now',
};

/** Performs a form and redirects the browser to the next page. Returns a page only if the form must be corrected. */
async function answerForm(
  call: PageCall,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<PageView | undefined> {
  checkOrigin(request);
  const fields = new URLSearchParams(await readText(request, maxFormBytes));
  const result = await performForm(call, call.path.slice(formPath.length), fields, pathBefore(request));
  // The effect of the form must survive a crash before the browser is told about it.
  if (call.platform.journal.pending) await call.platform.journal.settled();
  if (!('location' in result)) return result;
  const cookie = result.cookie === undefined ? {} : { 'set-cookie': result.cookie };
  response.writeHead(303, { location: result.location, 'content-length': 0, 'cache-control': 'no-store', ...cookie });
  response.end();
  return undefined;
}

/** Returns the path and query of the page that had the form. */
function pathBefore({ headers }: IncomingMessage): string {
  const { referer = '' } = headers;
  const origin = `http://${headers.host}/`;
  // A location that starts with two slashes would lead to another host.
  return referer.startsWith(origin) ? referer.slice(origin.length - 1).replace(/^\/+/, '/') : '/';
}

function serveMedia(platform: SandboxState, path: string, request: IncomingMessage, response: ServerResponse): boolean {
  const picture = pictureAt(platform.dataset, path, platform.now());
  if (picture !== undefined) {
    send(response, 200, 'image/png', picture, 'public, max-age=86400, immutable');
    return true;
  }
  const video = videoAt(platform.dataset, path);
  if (video !== undefined) {
    const { status, headers, start, end } = resolveRange(request, video.length);
    const bytes = video.subarray(start, end + 1);
    send(response, status, 'video/mp4', bytes, 'public, max-age=86400', headers);
    return true;
  }
  return serveUpload(platform, path, request, response);
}

function tokenUser(dataset: Dataset, request: IncomingMessage): User | undefined {
  const token = cookieToken(request);
  return token === undefined ? undefined : dataset.userByToken(token);
}

type SitePage = (call: PageCall) => PageView | Promise<PageView>;

const sitePages: Readonly<Record<string, SitePage>> = {
  '/': homePage,
  '/i/search': searchPage,
  '/i/notifications': notificationsPage,
  '/i/messages': conversationsPage,
  '/i/bookmarks': bookmarksPage,
  '/i/articles': articlesPage,
  '/i/compose': (call) => composePage(call),
  '/i/lab': labPage,
  '/i/lab/live': livePage,
};

async function viewAt(call: PageCall): Promise<PageView | undefined> {
  const { path } = call;
  const { dataset } = call.platform;
  if (Object.hasOwn(sitePages, path)) return sitePages[path]?.(call);
  const talk = /^\/i\/messages\/(\w{1,15})$/.exec(path);
  if (talk !== null) return conversationPage(call, talk[1] ?? '');
  const written = /^\/(\w{1,15})\/(articles|drafts)\/(\d{1,20})$/.exec(path);
  if (written !== null) {
    const article = dataset.articles.find(written[3] ?? '');
    if (article === undefined || article.author !== dataset.userNamed(written[1] ?? '')) return undefined;
    return articleView(call, article, written[2] === 'drafts');
  }
  const tweet = /^\/(\w{1,15})\/status\/(\d{1,20})(?:\/(?:photo|video)\/\d)?$/.exec(path);
  if (tweet !== null) {
    const id = tweet[2] ?? '';
    const isAuthor = dataset.tweet(id)?.author === dataset.userNamed(tweet[1] ?? '');
    return isAuthor ? threadPage(call, id) : undefined;
  }
  const profile = /^\/(\w{1,15})(\/articles|\/followers|\/following)?$/.exec(path);
  if (profile === null) return undefined;
  return profilePage(call, profile[1] ?? '', (profile[2] ?? '') as ProfileTab);
}

async function sendText(
  response: ServerResponse,
  status: number,
  type: string,
  text: Buffer,
  cache: string,
  more: Record<string, number> = {},
): Promise<void> {
  const { body, headers } = await compress(text, response.req);
  send(response, status, type, body, cache, { ...headers, ...more });
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
    'referrer-policy': 'same-origin',
    ...more,
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
