import type { ArticleStatus, ArticleSummary } from '../../shared/model/article.ts';
import type { Page } from '../../shared/model/page.ts';
import { parseUrl } from '../../shared/model/parse-url.ts';
import type { TaskRunner } from '../../shared/threads/task.ts';
import type { ArticleContent, PlatformArticle, PlatformArticles } from '../articles-port.ts';
import { flag, InvalidResponseError, id, list, object, readPage, text, type Wire } from '../http/wire.ts';
import type { PageRequest, PlatformCall } from '../port.ts';
import { articleTasks } from './article-tasks.ts';
import type { SandboxClient, SandboxRequest } from './client.ts';
import { withPage } from './paths.ts';
import { readStatus, readSummary } from './read-article.ts';

/** The limits of a response with an article, which a worker thread parses. 100,000 characters of Markdown become up to 400,000 values. */
const articleLimits = {
  bytes: 8 * 1024 * 1024,
  values: 1_000_000,
  bytesOutsideStrings: 8 * 1024 * 1024,
  differentTexts: 50_000,
};

/** The article operations of the sandbox platform on behalf of one actor. */
export class SandboxArticles implements PlatformArticles {
  readonly publishingNeedsPremium = true;
  readonly #client: SandboxClient;
  readonly #call: PlatformCall;

  constructor(client: SandboxClient, call: PlatformCall) {
    this.#client = client;
    this.#call = call;
  }

  create(): Promise<{ articleId: string; status: ArticleStatus }> {
    return this.#send({ operation: 'createArticle', method: 'POST', path: '/api/articles', body: {} }, (body) => {
      const article = object(body.article, 'article');
      return { articleId: id(article.id, 'id'), status: readStatus(article) };
    });
  }

  setTitle(articleId: string, title: string): Promise<void> {
    return this.#set('setArticleTitle', articleId, '/title', { body: { title } });
  }

  async setContent(articleId: string, content: ArticleContent): Promise<void> {
    if (!('richText' in content)) throw new Error('the sandbox stores rich text');
    const json = await this.#tasks.run(articleTasks.writeContent, { text: content.richText });
    return this.#set('setArticleContent', articleId, '/content', { json });
  }

  setCover(articleId: string, mediaId: string | null): Promise<void> {
    return this.#set('setArticleCover', articleId, '/cover', { body: { media_id: mediaId } });
  }

  publish(articleId: string): Promise<void> {
    const write = { operation: 'publishArticle', method: 'PUT', path: `${pathOf(articleId)}/published` } as const;
    return this.#send({ ...write, subject: anArticle(articleId) }, (body) => {
      flag(body.published, 'published');
    });
  }

  unpublish(articleId: string): Promise<boolean> {
    const write = { operation: 'unpublishArticle', method: 'DELETE', path: `${pathOf(articleId)}/published` } as const;
    return this.#send({ ...write, subject: anArticle(articleId) }, (body) => flag(body.was_published, 'was_published'));
  }

  delete(articleId: string): Promise<void> {
    const write = { operation: 'deleteArticle', method: 'DELETE', path: pathOf(articleId) } as const;
    // The article id is part of the idempotency token. A repeated create may return another draft than the first
    // attempt, and deleting that draft is a different write.
    return this.#send({ ...write, subject: anArticle(articleId), part: articleId }, (body) => {
      flag(body.deleted, 'deleted');
    });
  }

  article(articleId: string): Promise<PlatformArticle> {
    const read = { operation: 'article', method: 'GET', path: pathOf(articleId) } as const;
    const request = { ...read, subject: anArticle(articleId), limits: articleLimits };
    return this.#client.sendForText(request, this.#call, async (text) => {
      const outcome = await this.#tasks.run(articleTasks.readArticle, { text });
      if ('nonsense' in outcome) throw new InvalidResponseError(outcome.nonsense);
      return outcome;
    });
  }

  list(status: ArticleStatus | null, page: PageRequest): Promise<Page<ArticleSummary>> {
    const asked = withPage('/api/articles', page, status === null ? {} : { status });
    const readItems = (body: Wire) =>
      list(body.articles, 'articles').map((each) => readSummary(object(each, 'articles[]')));
    return this.#send({ operation: 'articles', method: 'GET', ...asked }, (body) => readPage(body, readItems, {}));
  }

  isPicture(mediaId: string): Promise<boolean> {
    const read = { operation: 'media', method: 'GET', path: `/api/media/${mediaId}` } as const;
    return this.#send(read, (body) => text(object(body.media, 'media').kind, 'kind') !== 'video');
  }

  mediaAt(url: string): string | null {
    const parsed = parseUrl(url);
    if (parsed?.origin !== this.#client.origin) return null;
    return /^\/media\/uploads\/(\d{1,20})\.\w{3,4}$/.exec(parsed.pathname)?.[1] ?? null;
  }

  #set(operation: string, articleId: string, part: string, body: Pick<SandboxRequest, 'body' | 'json'>): Promise<void> {
    const path = pathOf(articleId) + part;
    return this.#send({ operation, method: 'PUT', path, ...body, subject: anArticle(articleId) }, (answer) => {
      object(answer.article, 'article');
    });
  }

  get #tasks(): TaskRunner {
    if (!this.#call.tasks) throw new Error('articles need a task runner');
    return this.#call.tasks;
  }

  #send<T>(request: SandboxRequest, read: (body: Wire) => T): Promise<T> {
    return this.#client.send(request, this.#call, read);
  }
}

const pathOf = (articleId: string) => `/api/articles/${articleId}`;
const anArticle = (articleId: string) => ({ kind: 'Article', id: articleId }) as const;
