import type { RichText } from '../../shared/rich-text/rich-text.ts';
import type { TaskRunner } from '../../shared/threads/task.ts';
import type { ArticleContent, ArticlePlace, NewArticle, PlatformArticle } from '../articles-port.ts';
import { id, object, optional, readIsoTime, text, type Wire } from '../http/wire.ts';
import type { PlatformCall } from '../port.ts';
import { UnsupportedArticles } from '../unsupported-session.ts';
import { articleTasks } from './article-tasks.ts';
import type { XWrite } from './client.ts';
import { articleFields, subscriptionFields } from './fields.ts';
import { checkedId } from './identifiers.ts';
import { XMedia } from './media.ts';
import { Notes } from './notes.ts';
import { operations, writes } from './operations.ts';
import { subjectNotFound } from './problems.ts';
import { maxTextLength, timeOfId } from './read-post.ts';
import type { SessionParts } from './session-parts.ts';

/** The post of an article is remembered for this time. */
const keptMs = 365 * 24 * 60 * 60 * 1_000;

/** The articles of one actor on X, which are written once: https://docs.x.com/x-api/articles */
export class XArticles extends UnsupportedArticles {
  override readonly areWrittenOnce: boolean = true;
  protected readonly parts: SessionParts;
  protected readonly call: PlatformCall;
  readonly #posts: Notes;

  constructor(parts: SessionParts, call: PlatformCall) {
    super();
    this.parts = parts;
    this.call = call;
    this.#posts = new Notes(parts.stored, 'article', keptMs);
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
    return this.write({ operation: writes.articleCreateDraft, body }, (data) =>
      this.placeOf(data, { article_id: id(data.id, 'id'), status: 'draft', ...unpublished }),
    );
  }

  override async publish(articleId: string): Promise<ArticlePlace> {
    const known = await this.#posts.findOwn(articleId, this.call);
    if (known !== null) return this.#placeAt(articleId, known);
    const subject = anArticle(articleId);
    const request = { operation: writes.articlePublish, ids: [checkedId(subject)], subject };
    const place = await this.write(request, (data) =>
      this.placeOf(data, this.#placeAt(articleId, id(data.post_id, 'post_id'))),
    );
    await this.#posts.save(articleId, place.tweet_id ?? '', this.call, true);
    return place;
  }

  /** Reads the post of an article that this gateway has published. X sends its text without formats. */
  override async article(articleId: string): Promise<PlatformArticle> {
    const postId = await this.#posts.find(articleId, this.call);
    const subject = anArticle(articleId);
    if (postId === null) throw subjectNotFound(subject);
    const request = { operation: operations.getPostsById, ids: [postId], subject, fields: articleFields };
    return this.parts.client.send(request, this.call, ({ data }) => {
      const post = object(data, 'data');
      if (post.article === undefined) throw subjectNotFound(subject);
      const article = object(post.article, 'article');
      const createdAt = optional(readIsoTime, post.created_at, 'created_at', new Date(timeOfId(postId)).toISOString());
      const plain = optional(text, article.plain_text, 'plain_text', '', maxTextLength);
      return {
        ...this.#placeAt(articleId, postId),
        title: optional(text, article.title, 'title', ''),
        cover_media_id: null,
        created_at: createdAt,
        updated_at: createdAt,
        content: { richText: JSON.stringify(paragraphsOf(plain)) },
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
