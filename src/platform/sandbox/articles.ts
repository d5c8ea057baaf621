import type { ArticleStatus, ArticleSummary } from '../../model/article.ts';
import type { Page } from '../../model/page.ts';
import type { RichText } from '../../model/rich-text/rich-text.ts';
import type { PlatformArticle, PlatformArticles } from '../articles-port.ts';
import type { PageRequest, PlatformCall } from '../port.ts';
import type { Request, SandboxClient } from './client.ts';
import { withPage } from './paths.ts';
import { itemsAnd } from './read-page.ts';
import { readRichText, richTextToWire } from './rich-text-wire.ts';
import { asWire, flag, id, isoTime, list, NonsenseError, nullable, object, text, type Wire } from './wire.ts';

/** The articles of the sandbox platform, as one actor sees them. */
export class SandboxArticles implements PlatformArticles {
  readonly #client: SandboxClient;
  readonly #call: PlatformCall;

  constructor(client: SandboxClient, call: PlatformCall) {
    this.#client = client;
    this.#call = call;
  }

  create(): Promise<{ articleId: string; status: ArticleStatus }> {
    return this.#send({ operation: 'createArticle', method: 'POST', path: '/api/articles', body: {} }, (body) => {
      const article = object(body, 'article');
      return { articleId: id(article, 'id'), status: readStatus(article) };
    });
  }

  setTitle(articleId: string, title: string): Promise<void> {
    return this.#set('setArticleTitle', articleId, '/title', { title });
  }

  setContent(articleId: string, content: RichText): Promise<void> {
    return this.#set('setArticleContent', articleId, '/content', { content: richTextToWire(content) });
  }

  setCover(articleId: string, mediaId: string | null): Promise<void> {
    return this.#set('setArticleCover', articleId, '/cover', { media_id: mediaId });
  }

  publish(articleId: string): Promise<void> {
    const write = { operation: 'publishArticle', method: 'PUT', path: `${pathOf(articleId)}/published` } as const;
    return this.#send({ ...write, subject: anArticle(articleId) }, (body) => {
      flag(body, 'published');
    });
  }

  unpublish(articleId: string): Promise<boolean> {
    const write = { operation: 'unpublishArticle', method: 'DELETE', path: `${pathOf(articleId)}/published` } as const;
    return this.#send({ ...write, subject: anArticle(articleId) }, (body) => flag(body, 'was_published'));
  }

  delete(articleId: string): Promise<void> {
    const write = { operation: 'deleteArticle', method: 'DELETE', path: pathOf(articleId) } as const;
    // A create that is sent again may have another draft to remove than its first attempt had.
    return this.#send({ ...write, subject: anArticle(articleId), part: articleId }, (body) => {
      flag(body, 'deleted');
    });
  }

  article(articleId: string): Promise<PlatformArticle> {
    const read = { operation: 'article', method: 'GET', path: pathOf(articleId) } as const;
    return this.#send({ ...read, subject: anArticle(articleId) }, (body) => {
      const article = object(body, 'article');
      return {
        ...readSummary(article),
        content: readRichText(object(article, 'content')),
        isOwn: flag(object(article, 'viewer'), 'own'),
      };
    });
  }

  list(status: ArticleStatus | null, page: PageRequest): Promise<Page<ArticleSummary>> {
    const path = withPage('/api/articles', page, status === null ? {} : { status });
    const readItems = (body: Wire) => list(body, 'articles').map((each) => readSummary(asWire(each, 'articles[]')));
    return this.#send({ operation: 'articles', method: 'GET', path }, (body) => itemsAnd(body, readItems, {}));
  }

  isPicture(mediaId: string): Promise<boolean> {
    const read = { operation: 'media', method: 'GET', path: `/api/media/${mediaId}` } as const;
    return this.#send(read, (body) => text(object(body, 'media'), 'kind') !== 'video');
  }

  mediaAt(url: string): string | null {
    if (!URL.canParse(url)) return null;
    const { origin, pathname } = new URL(url);
    return (origin === this.#client.origin && /^\/media\/uploads\/(\d{1,20})\.\w{3,4}$/.exec(pathname)?.[1]) || null;
  }

  #set(operation: string, articleId: string, part: string, body: Wire): Promise<void> {
    const path = pathOf(articleId) + part;
    return this.#send({ operation, method: 'PUT', path, body, subject: anArticle(articleId) }, (answer) => {
      object(answer, 'article');
    });
  }

  #send<T>(request: Request, read: (body: Wire) => T): Promise<T> {
    return this.#client.send(request, this.#call, read);
  }
}

const pathOf = (articleId: string) => `/api/articles/${articleId}`;
const anArticle = (articleId: string) => ({ kind: 'Article', id: articleId }) as const;

function readSummary(article: Wire): ArticleSummary {
  return {
    article_id: id(article, 'id'),
    title: text(article, 'title'),
    status: readStatus(article),
    tweet_id: nullable(id, article, 'tweet_id'),
    draft_url: nullable(text, article, 'draft_url'),
    public_url: nullable(text, article, 'public_url'),
    cover_media_id: nullable(id, article, 'cover_media_id'),
    created_at: isoTime(article, 'created_at'),
    updated_at: isoTime(article, 'updated_at'),
  };
}

function readStatus(article: Wire): ArticleStatus {
  const status = text(article, 'status');
  if (status === 'draft' || status === 'published') return status;
  throw new NonsenseError(`status is "${status.slice(0, 40)}"`);
}
