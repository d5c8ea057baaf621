import type { ArticleStatus, ArticleSummary } from '../shared/model/article.ts';
import type { Page } from '../shared/model/page.ts';
import type { RichTextJson } from '../shared/rich-text/rich-text.ts';
import type { PageRequest } from './port.ts';

/** An article as the platform returns it. */
export interface PlatformArticle extends ArticleSummary {
  content: RichTextJson;
  /** False for an article of another user. */
  isOwn: boolean;
}

/**
 * The articles of a platform. Writes take the id of one of the actor's own articles. They throw `forbidden` for an article of
 * another user and `not_found` for one that does not exist or was deleted. All writes but `create` and `delete` are idempotent.
 */
export interface PlatformArticles {
  /**
   * Creates an empty draft. A repeated token returns the article of the first call, which may be published by now. If that
   * article was deleted, another one is created.
   */
  create(): Promise<{ articleId: string; status: ArticleStatus }>;
  /** Sets the title of a draft. This and the next two methods throw `conflict` if the article is published. */
  setTitle(articleId: string, title: string): Promise<void>;
  /** Sets the content of a draft. All media in it must have ids of the actor's own media. */
  setContent(articleId: string, content: RichTextJson): Promise<void>;
  setCover(articleId: string, mediaId: string | null): Promise<void>;
  /** Creates the wrapper tweet. `article` then returns its id. Throws `forbidden` without a premium subscription. */
  publish(articleId: string): Promise<void>;
  /**
   * Deletes the wrapper tweet. Returns whether the article was published before the call or, with a repeated token, before
   * the first call.
   */
  unpublish(articleId: string): Promise<boolean>;
  /** Throws `not_found` if the article was deleted before. */
  delete(articleId: string): Promise<void>;
  /** Returns an article of the actor, or a published one of another user. */
  article(articleId: string): Promise<PlatformArticle>;
  /** Returns the actor's own articles, newest first. */
  list(status: ArticleStatus | null, page: PageRequest): Promise<Page<ArticleSummary>>;
  /** Returns whether an article can show this media. Throws `not_found` if the actor has no such media. */
  isPicture(mediaId: string): Promise<boolean>;
  /** Returns the id of the platform's media at an address, or null for any other address. Sends no request. */
  mediaAt(url: string): string | null;
}
