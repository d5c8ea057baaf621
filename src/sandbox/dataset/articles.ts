import type { ArticleContent } from '../../shared/rich-text/wire.ts';
import type { SandboxTweet, User } from './types.ts';

/** An article. It is published while `tweet` is not null. */
export interface SandboxArticle {
  readonly id: string;
  readonly author: User;
  readonly createdAt: number;
  updatedAt: number;
  title: string;
  /** Returns the content. A function, because articles of the seed are generated when they are first read. */
  content: () => ArticleContent;
  coverId: string | null;
  tweet: SandboxTweet | null;
  deleted: boolean;
}

/** The article that a tweet publishes. If no article with this id exists, adding the tweet creates the article. */
export interface ArticleReference {
  readonly id: string;
  readonly title: string;
  readonly content?: () => ArticleContent;
}

/** Stores all articles. Deleted articles stay in the lists, so that list positions do not change. */
export class Articles {
  readonly #byId = new Map<string, SandboxArticle>();
  readonly #byAuthor = new Map<User, SandboxArticle[]>();
  /** The id of the article that a call created last. */
  lastId: string | undefined;

  /** Returns an article by id, or undefined if the article is deleted. */
  find(id: string): SandboxArticle | undefined {
    const article = this.#byId.get(id);
    return article?.deleted === true ? undefined : article;
  }

  /** Returns the author's articles in the order of their creation. */
  byAuthor(author: User): readonly SandboxArticle[] {
    return this.#byAuthor.get(author) ?? [];
  }

  create(id: string, author: User, at: number): SandboxArticle {
    const article: SandboxArticle = {
      id,
      author,
      createdAt: at,
      updatedAt: at,
      title: '',
      content: () => ({ blocks: [], entities: [], containers: [] }),
      coverId: null,
      tweet: null,
      deleted: false,
    };
    this.#byId.set(id, article);
    const own = this.#byAuthor.get(author);
    if (own === undefined) this.#byAuthor.set(author, [article]);
    else own.push(article);
    return article;
  }

  publish(tweet: SandboxTweet, { id, title, content }: ArticleReference): void {
    let article = this.#byId.get(id);
    if (article === undefined) {
      article = this.create(id, tweet.author, tweet.createdAt);
      article.title = title;
      if (content !== undefined) article.content = content;
    }
    article.tweet = tweet;
  }

  /** Makes a published article a draft again. Must be called when the tweet that published it was deleted. */
  unpublish({ article }: SandboxTweet): void {
    const found = article === null ? undefined : this.#byId.get(article.id);
    if (found !== undefined) found.tweet = null;
  }
}
