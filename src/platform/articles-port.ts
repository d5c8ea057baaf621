import type { ArticleStatus, ArticleSummary } from '../shared/model/article.ts';
import type { Page } from '../shared/model/page.ts';
import type { RichTextJson } from '../shared/rich-text/rich-text.ts';
import type { PageRequest } from './port.ts';

/** An article as its platform tells it. */
export interface PlatformArticle extends ArticleSummary {
  content: RichTextJson;
  /** False for what somebody else has published. */
  isOwn: boolean;
}

/**
 * What can be asked of a platform that has articles. Ids are of the actor's own articles; of others' `forbidden`, of none and
 * of deleted ones `not_found`. All writes but `create` and `delete` say how it is to be: repeated, they change nothing.
 */
export interface PlatformArticles {
  /**
   * An empty draft. A token that came before names the draft of then, unless that was deleted since: so it may be further
   * on than a draft.
   */
  create(): Promise<{ articleId: string; status: ArticleStatus }>;
  /** This and the next two: of drafts only, else `conflict`. */
  setTitle(articleId: string, title: string): Promise<void>;
  /** Every piece of media in it has an id, of the actor's own media. */
  setContent(articleId: string, content: RichTextJson): Promise<void>;
  setCover(articleId: string, mediaId: string | null): Promise<void>;
  /** Makes the wrapper tweet, whose id is known afterwards. `forbidden` without a premium subscription. */
  publish(articleId: string): Promise<void>;
  /**
   * Removes the wrapper tweet. Says whether the article was published before that; with a token that came before, whether it
   * was so then.
   */
  unpublish(articleId: string): Promise<boolean>;
  /** A second time is `not_found`. */
  delete(articleId: string): Promise<void>;
  /** One's own, or what others have published. */
  article(articleId: string): Promise<PlatformArticle>;
  /** The actor's own, newest first. */
  list(status: ArticleStatus | null, page: PageRequest): Promise<Page<ArticleSummary>>;
  /** Whether media of the actor is what an article can show. `not_found` where the actor has no such media. */
  isPicture(mediaId: string): Promise<boolean>;
  /** The id of the platform's own media that is shown at an address; null for any other address. Asks nobody. */
  mediaAt(url: string): string | null;
}
