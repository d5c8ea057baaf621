import type { ArticleStatus, ArticleSummary } from '../../shared/model/article.ts';
import type { Page } from '../../shared/model/page.ts';
import type { RichTextJson } from '../../shared/rich-text/rich-text.ts';
import type { TaskRunner } from '../../shared/threads/task.ts';
import type { PlatformArticle, PlatformArticles } from '../articles-port.ts';
import type { PageRequest, PlatformCall } from '../port.ts';
import { articleTasks } from './article-tasks.ts';
import type { Request, SandboxClient } from './client.ts';
import { withPage } from './paths.ts';
import { readStatus, readSummary } from './read-article.ts';
import { asWire, flag, id, itemsAnd, list, NonsenseError, object, text, type Wire } from './wire.ts';

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
    return this.#set('setArticleTitle', articleId, '/title', { body: { title } });
  }

  async setContent(articleId: string, content: RichTextJson): Promise<void> {
    const json = await this.#tasks.run(articleTasks.writeContent, { text: content });
    return this.#set('setArticleContent', articleId, '/content', { json });
  }

  setCover(articleId: string, mediaId: string | null): Promise<void> {
    return this.#set('setArticleCover', articleId, '/cover', { body: { media_id: mediaId } });
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
    // A repeated create may return another draft than its first attempt, and then that draft has to be removed.
    return this.#send({ ...write, subject: anArticle(articleId), part: articleId }, (body) => {
      flag(body, 'deleted');
    });
  }

  article(articleId: string): Promise<PlatformArticle> {
    const read = { operation: 'article', method: 'GET', path: pathOf(articleId) } as const;
    return this.#client.sendForText({ ...read, subject: anArticle(articleId) }, this.#call, async (text) => {
      const outcome = await this.#tasks.run(articleTasks.readArticle, { text });
      if ('nonsense' in outcome) throw new NonsenseError(outcome.nonsense);
      return outcome;
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

  #set(operation: string, articleId: string, part: string, body: Pick<Request, 'body' | 'json'>): Promise<void> {
    const path = pathOf(articleId) + part;
    return this.#send({ operation, method: 'PUT', path, ...body, subject: anArticle(articleId) }, (answer) => {
      object(answer, 'article');
    });
  }

  get #tasks(): TaskRunner {
    if (!this.#call.tasks) throw new Error('articles need a task runner');
    return this.#call.tasks;
  }

  #send<T>(request: Request, read: (body: Wire) => T): Promise<T> {
    return this.#client.send(request, this.#call, read);
  }
}

const pathOf = (articleId: string) => `/api/articles/${articleId}`;
const anArticle = (articleId: string) => ({ kind: 'Article', id: articleId }) as const;
