import { type ArticleContent, noContent } from './content.ts';
import type { SandboxTweet, User } from './types.ts';

/** A piece of writing. It is published while a tweet wraps it. */
export interface SandboxArticle {
  readonly id: string;
  readonly author: User;
  readonly createdAt: number;
  updatedAt: number;
  title: string;
  /** Those of the seed are written when somebody reads them. */
  content: () => ArticleContent;
  coverId: string | null;
  tweet: SandboxTweet | null;
  deleted: boolean;
}

/** What a tweet is told of the article that it wraps. One that nobody has begun comes into being by that. */
export interface Wrapped {
  readonly id: string;
  readonly title: string;
  readonly content?: () => ArticleContent;
}

/** All that was ever written. Nothing is taken out, so that places stay what they are. */
export class Articles {
  readonly #byId = new Map<string, SandboxArticle>();
  readonly #byAuthor = new Map<User, SandboxArticle[]>();
  /** The last that was begun by a call. */
  lastId: string | undefined;

  /** Deleted ones are not found. */
  find(id: string): SandboxArticle | undefined {
    const article = this.#byId.get(id);
    return article?.deleted === true ? undefined : article;
  }

  /** In the order in which they were begun. */
  of(author: User): readonly SandboxArticle[] {
    return this.#byAuthor.get(author) ?? [];
  }

  begin(id: string, author: User, at: number): SandboxArticle {
    const times = { createdAt: at, updatedAt: at };
    const article: SandboxArticle = {
      ...{ id, author, ...times, title: '', content: () => noContent },
      ...{ coverId: null, tweet: null, deleted: false },
    };
    this.#byId.set(id, article);
    const own = this.#byAuthor.get(author);
    if (own === undefined) this.#byAuthor.set(author, [article]);
    else own.push(article);
    return article;
  }

  wrap(tweet: SandboxTweet, { id, title, content }: Wrapped): void {
    let article = this.#byId.get(id);
    if (article === undefined) {
      article = this.begin(id, tweet.author, tweet.createdAt);
      article.title = title;
      if (content !== undefined) article.content = content;
    }
    article.tweet = tweet;
  }

  /** The tweet has gone. */
  unwrap({ article }: SandboxTweet): void {
    const found = article === null ? undefined : this.#byId.get(article.id);
    if (found !== undefined) found.tweet = null;
  }
}
