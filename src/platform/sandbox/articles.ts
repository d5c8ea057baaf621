import type { ArticleStatus, ArticleSummary } from '../../shared/model/article.ts';
import type { Page } from '../../shared/model/page.ts';
import { parseUrl } from '../../shared/model/parse-url.ts';
import type { ArticleEdits, ArticlePlace, NewArticle, PlatformArticle } from '../articles-port.ts';
import { flag, InvalidResponseError, list, object, optional, text, type Wire } from '../http/wire.ts';
import type { PageRequest } from '../port.ts';
import { anArticle, richTextOf, XArticles } from '../x/articles.ts';
import { aMedia } from '../x/media.ts';
import { named, operations, others, write } from '../x/operations.ts';
import { articleTasks, readSummary } from './article-tasks.ts';

/** The limits of a response with an article, which a worker thread parses. 100,000 characters of Markdown become up to 400,000 values. */
const articleLimits = {
  bytes: 8 * 1024 * 1024,
  values: 1_000_000,
  bytesOutsideStrings: 8 * 1024 * 1024,
  differentTexts: 50_000,
};

/** What X does not offer. */
const extensions = named({
  getArticle: others('/sandbox/articles/{}', null),
  getArticles: others('/sandbox/articles', null, {
    query: ['status'],
    sizes: [1, 100],
  }),
  changeArticle: write('PUT', '/sandbox/articles/{}', null, { body: ['title', 'content', 'cover_media_id'] }),
  unpublishArticle: write('POST', '/sandbox/articles/{}/unpublish', null),
  deleteArticle: write('DELETE', '/sandbox/articles/{}', null),
});

/** The articles of one actor on the sandbox, which keeps all of their content, and changes them. */
export class SandboxArticles extends XArticles {
  override readonly areWrittenOnce = false;

  override async change(articleId: string, { cover, ...edits }: ArticleEdits): Promise<void> {
    const body = await this.#bodyOf({ ...edits, ...(cover !== undefined && { cover_media_id: cover }) });
    const request = { operation: extensions.changeArticle, ids: [articleId], body, subject: anArticle(articleId) };
    await this.write(request, () => undefined);
  }

  override unpublish(articleId: string): Promise<boolean> {
    const operation = extensions.unpublishArticle;
    return this.write({ operation, ids: [articleId], subject: anArticle(articleId) }, (data) =>
      flag(data.was_published, 'was_published'),
    );
  }

  override async delete(articleId: string): Promise<void> {
    // The article id is part of the idempotency token. A repeated create may return another draft than the first
    // attempt, and deleting that draft is a different write.
    const request = { operation: extensions.deleteArticle, ids: [articleId], subject: anArticle(articleId) };
    await this.write({ ...request, part: articleId }, (data) => flag(data.deleted, 'deleted'));
  }

  override article(articleId: string): Promise<PlatformArticle> {
    const request = {
      operation: extensions.getArticle,
      ids: [articleId],
      subject: anArticle(articleId),
      limits: articleLimits,
    };
    return this.parts.client.sendForText(request, this.call, async (text) => {
      const outcome = await this.tasks.run(articleTasks.readArticle, { text });
      if ('nonsense' in outcome) throw new InvalidResponseError(outcome.nonsense);
      return outcome;
    });
  }

  override list(status: ArticleStatus | null, { count, cursor }: PageRequest): Promise<Page<ArticleSummary>> {
    const page = { size: count, token: cursor };
    return this.parts.client.send(
      { operation: extensions.getArticles, query: { status }, page },
      this.call,
      ({ data, meta }) => ({
        items: list(data, 'data')
          .slice(0, count)
          .map((each) => readSummary(object(each, 'data[]'))),
        cursor: optional(text, meta.next_token, 'next_token', null),
      }),
    );
  }

  override isPicture(mediaId: string): Promise<boolean> {
    const query = { media_id: mediaId };
    const request = { operation: operations.getMediaUploadStatus, query, subject: aMedia(mediaId) };
    return this.parts.client.send(request, this.call, ({ data }) => object(data, 'data').video === undefined);
  }

  override mediaAt(url: string): string | null {
    const parsed = parseUrl(url);
    if (parsed?.origin !== this.parts.features.pages.url) return null;
    return /^\/media\/uploads\/(\d{1,20})\.\w{3,4}$/.exec(parsed.pathname)?.[1] ?? null;
  }

  protected override bodyOf({ cover, ...article }: NewArticle): Promise<string> {
    return this.#bodyOf({ ...article, ...(cover !== null && { cover_media: { media_id: cover } }) });
  }

  protected override placeOf(data: Wire): ArticlePlace {
    const { article_id, status, tweet_id, draft_url, public_url } = readSummary(data);
    return { article_id, status, tweet_id, draft_url, public_url };
  }

  async #bodyOf({ content, ...fields }: ArticleEdits): Promise<string> {
    if (content === undefined) return JSON.stringify(fields);
    const written = await this.tasks.run(articleTasks.writeContent, { text: richTextOf(content) });
    return `{"content":${written},${JSON.stringify(fields).slice(1)}`.replace(/,\}$/, '}');
  }
}
