import type { ArticleStatus, ArticleSummary } from '../shared/model/article.ts';
import type { Page } from '../shared/model/page.ts';
import type { RichTextJson } from '../shared/rich-text/rich-text.ts';
import type { PageRequest } from './port.ts';

/** The content of an article: rich text, or Markdown from a platform that stores Markdown. */
export type ArticleContent = { readonly richText: RichTextJson } | { readonly markdown: string };

/** An article as the platform returns it. */
export interface PlatformArticle extends ArticleSummary {
  content: ArticleContent;
  /** False if the article belongs to another user. */
  isOwn: boolean;
}

export interface NewArticle {
  title: string;
  /** Rich text, whose media must belong to the actor, or what `article` returned before. */
  content: ArticleContent;
  /** The media id of the cover. In a change, `null` restores the cover of an article that had none with a media id. */
  cover: string | null;
}

/** The new values for parts of an article. Parts that are absent are not changed. */
export type ArticleEdits = Partial<NewArticle>;

/** Where an article is. */
export type ArticlePlace = Pick<ArticleSummary, 'article_id' | 'status' | 'tweet_id' | 'draft_url' | 'public_url'>;

/**
 * The article operations of a platform. Write operations accept only the actor's own articles. They throw `forbidden`
 * for an article of another user, and `not_found` for a missing or deleted one. All writes except `createDraft` and
 * `delete` are idempotent.
 */
export interface PlatformArticles {
  /** True if drafts cannot be read, changed or deleted, so that an article is published unseen. */
  readonly areWrittenOnce: boolean;
  /** Returns true if the actor may publish articles. */
  mayPublish(): Promise<boolean>;
  /**
   * Creates a draft. A repeated idempotency token returns the article of the first call, which may be published
   * meanwhile. If that article was deleted, a new one is created.
   */
  createDraft(article: NewArticle): Promise<ArticlePlace>;
  /** Changes parts of a draft in one step. Throws `conflict` if the article is published. */
  change(articleId: string, edits: ArticleEdits): Promise<void>;
  /** Publishes an article by creating its tweet. Throws `forbidden` if the actor may not. */
  publish(articleId: string): Promise<ArticlePlace>;
  /**
   * Unpublishes an article by deleting its tweet. Returns true if the article was published before this call. With a
   * repeated idempotency token: before the first call.
   */
  unpublish(articleId: string): Promise<boolean>;
  /** Deletes an article. Throws `not_found` if it was deleted before. */
  delete(articleId: string): Promise<void>;
  /** Returns an article of the actor, or a published article of another user. */
  article(articleId: string): Promise<PlatformArticle>;
  /** Returns the actor's own articles, newest first. */
  list(status: ArticleStatus | null, page: PageRequest): Promise<Page<ArticleSummary>>;
  /**
   * Returns true if an article can show this media. Throws `not_found` if the media does not exist or belongs to
   * another user.
   */
  isPicture(mediaId: string): Promise<boolean>;
  /** Returns the media id that belongs to a URL of the platform, or null for any other URL. Sends no request. */
  mediaAt(url: string): string | null;
}
