import assert from 'node:assert/strict';

export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run scripts/clients/run.ts`);
  return value;
}

export const baseUrl = setting('POSTERN_URL');
export const graphqlUrl = setting('POSTERN_GRAPHQL_URL');
export const apiKey = setting('POSTERN_KEY');
export const actor = setting('POSTERN_ACTOR');
/** A user with at least ten tweets. */
export const otherUser = setting('POSTERN_OTHER_USER');

/** Runs one step and prints its result, which run.ts counts. */
export async function step(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    process.stdout.write(`ok ${name}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stdout.write(`not ok ${name}: ${reason.replaceAll('\n', ' | ')}\n`);
  }
}

export interface Client {
  search(
    q: string,
    cursor?: string,
  ): Promise<{ tweets: { id: string; url: string | null }[]; nextCursor: string | null }>;
  /** Posts a tweet. Returns its id. */
  quote(text: string, url: string): Promise<string>;
  quoteOf(tweetId: string): Promise<string | undefined>;
  follow(name: string): Promise<{ userName: string; following: boolean }>;
  /** Asks for a tweet that does not exist. Returns the status and the code of the error. */
  missingTweet(): Promise<{ status: number; code: string | null }>;
}

/** The same four steps with each client. */
export async function runScenario(client: Client, text: string): Promise<void> {
  let quoted = { id: '', url: '' };
  await step('search with two pages', async () => {
    const first = await client.search(`from:${otherUser}`);
    assert.equal(first.tweets.length, 5);
    assert.ok(first.nextCursor);
    const second = await client.search(`from:${otherUser}`, first.nextCursor);
    assert.equal(second.tweets.length, 5);
    const ids = new Set([...first.tweets, ...second.tweets].map(({ id }) => id));
    assert.equal(ids.size, 10);
    const [tweet] = second.tweets;
    quoted = { id: tweet?.id ?? '', url: tweet?.url ?? '' };
  });
  await step('create a tweet that quotes by URL', async () => {
    const id = await client.quote(text, quoted.url);
    assert.equal(await client.quoteOf(id), quoted.id);
  });
  await step('follow by name', async () => {
    assert.deepEqual(await client.follow(otherUser), { userName: otherUser, following: true });
  });
  await step('an error by its code', async () => {
    assert.deepEqual(await client.missingTweet(), { status: 404, code: 'not_found' });
  });
}
