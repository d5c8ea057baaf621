import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, RequestHandler, Response, Router } from 'express';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { readOnly } from '../http/request.ts';
import type { Html } from './html.ts';
import { pageHeaders } from './local-page.ts';

type Encoding = 'br' | 'gzip' | 'identity';

interface Representation {
  content: Buffer;
  etag: string;
}

/** Content in each encoding. An encoding is created or read at its first request. */
export type Content = Readonly<Record<Encoding, () => Promise<Representation>>>;

/** The browser may keep a file for a year, because the URL contains the hash of its content. */
export const immutable = 'public, max-age=31536000, immutable';

/** A static file that pages load. */
export interface Asset {
  /** Returns the URL, which contains a hash of the content. */
  url(): Promise<string>;
  readonly path: string;
  readonly handler: RequestHandler;
}

/**
 * Declares a static file that pages load. Compressed copies of `file` may exist beside it, with names that end in `.br` and `.gz`. Otherwise
 * the content is compressed at the first request.
 */
export function asset(path: string, file: URL, type: 'js' | 'css'): Asset {
  return assetOf(path, filesOf(file), type);
}

const colors = new URL('./colors.css', import.meta.url);
const base = new URL('./base.css', import.meta.url);

/** Declares a style sheet. Its content is colors.css, base.css and `file`. */
export function styleSheet(path: string, file: URL): Asset {
  const content = contentOf(async () =>
    Buffer.concat(await Promise.all([colors, base, file].map((part) => readFile(part)))),
  );
  return assetOf(path, content, 'css');
}

function assetOf(path: string, content: Content, type: string): Asset {
  const version = async () => (await content.identity()).etag.slice(1, 13);
  return {
    path,
    url: async () => `${path}?v=${await version()}`,
    handler: async (request, response) => {
      // During an upgrade, a page of another version may request its file from this version.
      const isCurrent = request.query['v'] === (await version());
      await sendContent(request, response, content, type, isCurrent ? immutable : 'no-cache');
    },
  };
}

/** Returns the URL of each of `assets`. */
export async function urlsOf<Name extends string>(
  assets: Readonly<Record<Name, Asset>>,
): Promise<Record<Name, string>> {
  const urls = Object.entries<Asset>(assets).map(async ([name, file]) => [name, await file.url()] as const);
  return Object.fromEntries(await Promise.all(urls)) as Record<Name, string>;
}

/** Adds the routes of `assets`. */
export function serveAssets(router: Router, assets: readonly Asset[]): void {
  for (const { path, handler } of assets) router.get(path, handler);
  router.all(
    assets.map(({ path }) => path),
    readOnly,
  );
}

/** Serves a file of the build, compressed and with an ETag. */
export function staticFile(file: URL, type: string): RequestHandler {
  return staticContent(() => readFile(file), type);
}

/**
 * Serves content that is read at the first request, compressed and with an ETag. Clients must revalidate it every time (`no-cache`),
 * because a cached page would be wrong after an upgrade.
 */
export function staticContent(read: () => Promise<Buffer>, type: string): RequestHandler {
  const content = contentOf(read);
  return (request, response) => sendContent(request, response, content, type, 'no-cache');
}

/** Sends a page that is made for this request, compressed. */
export async function sendPage(request: Request, response: Response, page: Html): Promise<void> {
  const encoding = encodingFor(request);
  if (encoding !== 'identity') response.set('content-encoding', encoding);
  response
    .vary('accept-encoding')
    .type('html')
    .send(await compress[encoding](Buffer.from(page.text)));
}

export async function sendContent(
  request: Pick<Request, 'acceptsEncodings'>,
  response: Response,
  content: Content,
  type: string,
  caching: string,
): Promise<void> {
  const encoding = encodingFor(request);
  const { content: body, etag } = await content[encoding]();
  if (encoding !== 'identity') response.set('content-encoding', encoding);
  const headers = { ...pageHeaders(), 'cache-control': caching, vary: 'accept-encoding' };
  // Express responds with 304 if If-None-Match matches the ETag.
  response.set(headers).set('etag', etag).type(type).send(body);
}

/** Returns the best encoding that the client accepts. Express would choose the one that the client names first. */
function encodingFor(request: Pick<Request, 'acceptsEncodings'>): Encoding {
  return (['br', 'gzip'] as const).find((encoding) => request.acceptsEncodings(encoding) === encoding) ?? 'identity';
}

/** Level 5 of brotli takes 20 ms for a megabyte, and level 11 one second. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const compress: Readonly<Record<Encoding, (content: Buffer) => Promise<Buffer>>> = {
  br: (content) => promisify(brotliCompress)(content, brotliOptions),
  gzip: (content) => promisify(gzip)(content),
  identity: async (content) => content,
};

function contentOf(read: () => Promise<Buffer>): Content {
  const encoded = (encoding: Encoding) => readOnce(async () => represent(await compress[encoding](await read())));
  return { br: encoded('br'), gzip: encoded('gzip'), identity: encoded('identity') };
}

/** Returns the content of a file. The build may have written compressed copies beside it. */
function filesOf(file: URL): Content {
  const made = contentOf(() => readFile(file));
  const beside = (suffix: string, otherwise: () => Promise<Representation>) =>
    readOnce(() => readFile(new URL(`${file.href}${suffix}`)).then(represent, otherwise));
  return { br: beside('.br', made.br), gzip: beside('.gz', made.gzip), identity: made.identity };
}

/** Reads a file and its compressed copies at once. */
export async function readEncodings(file: URL): Promise<Content> {
  const content = filesOf(file);
  await Promise.all(Object.values(content).map((read) => read()));
  return content;
}

function represent(content: Buffer): Representation {
  return { content, etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` };
}

/** Wraps `read` so that it runs once, at the first call, and its result is cached. */
export function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let content: Promise<T> | undefined;
  return () => {
    content ??= read().catch((cause) => {
      content = undefined;
      throw new PosternError('unexpected', 'A file of the build is missing: run `npm run build`', { cause });
    });
    return content;
  };
}
