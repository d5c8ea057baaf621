import type { RichText } from '../../shared/rich-text/rich-text.ts';
import type { TaskRunner } from '../../shared/threads/task.ts';
import type { ArticleContent, ArticlePlace, NewArticle, PlatformArticle } from '../articles-port.ts';
import { id, object, readIsoTime, text, type Wire } from '../http/wire.ts';
import type { PlatformCall } from '../port.ts';
import { UnsupportedArticles } from '../unsupported-session.ts';
import { articleTasks } from './article-tasks.ts';
import type { XWrite } from './client.ts';
import { articleFields, subscriptionFields } from './fields.ts';
import { XMedia } from './media.ts';
import { operations, writes } from './operations.ts';
import { subjectNotFound } from './problems.ts';
import { maxTextLength } from './read-post.ts';
import { optional } from './read-user.ts';
import type { SessionParts } from './session.ts';

/** X never tells the post of an article, so it is remembered. */
const keptMs = 365 * 24 * 60 * 60 * 1_000;
const maxKept = 100_000;

/** The articles of one actor on X, which are written once: https://docs.x.com/x-api/articles */
export class XArticles extends UnsupportedArticles {
  override readonly areWrittenOnce: boolean = true;
  protected readonly parts: SessionParts;
  protected readonly call: PlatformCall;

  constructor(parts: SessionParts, call: PlatformCall) {
    super();
    this.parts = parts;
    this.call = call;
  }

  /** X publishes articles of premium accounts and of verified organizations. */
  override async mayPublish(): Promise<boolean> {
    const request = { operation: operations.getUsersMe, fields: subscriptionFields };
    return this.parts.client.send(request, this.call, ({ data }) => {
      const user = object(data, 'data');
      const subscription = optional(text, user.subscription_type, 'subscription_type', 'None');
      const verified = optional(text, user.verified_type, 'verified_type', 'none');
      return subscription !== 'None' || verified === 'business' || verified === 'government';
    });
  }

  override async createDraft(article: NewArticle): Promise<ArticlePlace> {
    const body = await this.bodyOf(article);
    return this.write({ operation: writes.articleCreateDraft, ids: [], body, subject: null }, (data) =>
      this.placeOf(data, { article_id: id(data.id, 'id'), status: 'draft', ...unpublished }),
    );
  }

  override async publish(articleId: string): Promise<ArticlePlace> {
    const { stored } = this.parts;
    const known = await stored?.find(keyOf(articleId));
    if (known) return this.#placeAt(articleId, known);
    const request = { operation: writes.articlePublish, ids: [articleId], subject: anArticle(articleId) };
    const place = await this.write(request, (data) =>
      this.placeOf(data, this.#placeAt(articleId, id(data.post_id, 'post_id'))),
    );
    const identifier = place.tweet_id ?? '';
    await stored?.save([{ hash: keyOf(articleId), identifier }], keptMs, maxKept);
    return place;
  }

  /** Reads the post of an article that this gateway has published. X sends its text without formats. */
  override async article(articleId: string): Promise<PlatformArticle> {
    const postId = await this.parts.stored?.find(keyOf(articleId));
    const subject = anArticle(articleId);
    if (!postId) throw subjectNotFound(subject);
    const request = { operation: operations.getPostsById, id: postId, subject, fields: articleFields };
    return this.parts.client.send(request, this.call, ({ data }) => {
      const post = object(data, 'data');
      if (post.article === undefined) throw subjectNotFound(subject);
      const article = object(post.article, 'article');
      const createdAt = readIsoTime(post.created_at, 'created_at');
      return {
        ...this.#placeAt(articleId, postId),
        title: text(article.title, 'title'),
        cover_media_id: null,
        created_at: createdAt,
        updated_at: createdAt,
        content: { richText: JSON.stringify(paragraphsOf(text(article.plain_text, 'plain_text', maxTextLength))) },
        // X does not say whose it is, and no operation on X depends on it.
        isOwn: false,
      };
    });
  }

  override async isPicture(mediaId: string): Promise<boolean> {
    return (await new XMedia(this.parts, this.call).kindOf(mediaId)) !== 'video';
  }

  override mediaAt(_url: string): string | null {
    return null;
  }

  protected async bodyOf({ title, content, cover }: NewArticle): Promise<string> {
    const state = await this.tasks.run(articleTasks.writeContentState, { text: richTextOf(content) });
    const media = cover && { cover_media: { media_id: cover, media_category: 'tweet_image' } };
    return `{"content_state":${state},${JSON.stringify({ title, ...media }).slice(1)}`;
  }

  /** Returns where an article is. `place` is what X lets the gateway know. */
  protected placeOf(_data: Wire, place: ArticlePlace): ArticlePlace {
    return place;
  }

  protected write<Body extends string, T>(request: XWrite<Body>, read: (data: Wire) => T): Promise<T> {
    return this.parts.client.write(request, this.call, read);
  }

  protected get tasks(): TaskRunner {
    if (!this.call.tasks) throw new Error('articles need a task runner');
    return this.call.tasks;
  }

  #placeAt(articleId: string, postId: string) {
    const { url } = this.parts.features.pages;
    const published = { status: 'published', tweet_id: postId, public_url: `${url}/i/web/status/${postId}` } as const;
    return { article_id: articleId, draft_url: null, ...published };
  }
}

const unpublished = { tweet_id: null, draft_url: null, public_url: null };
const keyOf = (articleId: string) => `x article ${articleId}`;
export const anArticle = (articleId: string) => ({ kind: 'Article', id: articleId }) as const;

export function richTextOf(content: ArticleContent): string {
  if ('richText' in content) return content.richText;
  throw new Error('X takes rich text');
}

function paragraphsOf(plain: string): RichText {
  const lines = plain.split('\n').filter((line) => /\S/.test(line));
  const blocks = lines.map((line) => ({
    type: 'unstyled' as const,
    text: line,
    info: '',
    styles: [],
    links: [],
    within: [],
  }));
  return { blocks, entities: [], containers: [] };
}
