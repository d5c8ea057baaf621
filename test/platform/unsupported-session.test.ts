import { expect, test } from 'vitest';
import { NotSupportedError } from '../../src/platform/port.ts';
import { UnsupportedSession } from '../../src/platform/unsupported-session.ts';

class Session extends UnsupportedSession {
  readonly #likes: string[] = [];

  override async likeTweet(tweetId: string): Promise<void> {
    this.#likes.push(tweetId);
  }

  get likes() {
    return this.#likes;
  }
}

test('a session performs its own operations, and refuses all others of the port', async () => {
  const session = new Session();
  await session.likeTweet('1');
  expect(session.likes).toEqual(['1']);
  expect(() => session.unlikeTweet('1')).toThrow(NotSupportedError);
  expect(() => session.activity({ count: 1, cursor: null })).toThrow(NotSupportedError);
  expect(() => session.articles.article('1')).toThrow(NotSupportedError);
  expect(() => session.keyBackup).not.toThrow();
  expect(() => session.media.upload).toThrow(NotSupportedError);
});

test('a session can be awaited and printed', async () => {
  const session = new Session();
  expect(await session).toBe(session);
  expect(String(session)).toBe('[object Object]');
  expect(JSON.stringify(session)).toBe('{}');
});
