import type { Demo } from '../../src/api/demo/demo.ts';

/** Actions of ada and other users on the platform itself, so that the account's usage contains only the examples. */
export class Behind {
  readonly demo: Demo;
  talked: Promise<string> | undefined;

  constructor(demo: Demo) {
    this.demo = demo;
  }

  /** Posts a tweet. Returns its id. */
  async post(text: string): Promise<string> {
    const { tweet } = await this.#send<{ tweet: { id: string } }>('/api/tweets', 'POST', { text });
    return tweet.id;
  }

  /** Writes an article. Returns its id. */
  async write(published: boolean): Promise<string> {
    const send = (path: string, method: string, body: object) =>
      this.#send<{ article: { id: string } }>(`/api/articles${path}`, method, body);
    const { article } = await send('', 'POST', {});
    await send(`/${article.id}/title`, 'PUT', { title: 'On looms' });
    const text = 'They remember patterns.';
    const styles = [{ offset: 5, length: 8, style: 'BOLD' }];
    const blocks = [
      { type: 'header-one', text: 'Why looms' },
      { type: 'unstyled', text, styles },
    ];
    await send(`/${article.id}/content`, 'PUT', { content: { blocks, entities: [], containers: [] } });
    if (published) await send(`/${article.id}/published`, 'PUT', {});
    return article.id;
  }

  /** Sends a message to grace, encrypted by the sandbox's own client of ada. Returns its seq_id. */
  async say(text: string): Promise<string> {
    const { event } = await this.#send<{ event: { seq_id: string } }>('/control/messages', 'POST', {
      from: 'ada',
      to: 'grace',
      text,
    });
    return event.seq_id;
  }

  /** Creates an account that is not enrolled, and returns it with its future encryption code. */
  async keyless(): Promise<{ authToken: string; encryptionCode: string }> {
    const { accounts } = await this.#send<{ accounts: [{ authToken: string }] }>('/control/accounts', 'POST', {
      chatKeys: false,
    });
    return { ...accounts[0], encryptionCode: '739146' };
  }

  /** Posts a tweet of ada that grace replies to, quotes and retweets. The texts are always the same. Returns its id. */
  talkedAbout(): Promise<string> {
    this.talked ??= this.post('Which boat is the fastest?').then((id) => this.#talkAbout(id));
    return this.talked;
  }

  async #talkAbout(tweetId: string): Promise<string> {
    const [userName, actor] = this.demo.accounts.map((account) => account.userName);
    for (const type of ['reply', 'quote', 'retweet'])
      await this.#send('/control/events', 'POST', { type, userName, actor, tweetId });
    return tweetId;
  }

  /** Makes a user like a tweet of ada. */
  async happen(): Promise<void> {
    const [userName, actor] = this.demo.accounts.map((account) => account.userName);
    await this.#send('/control/events', 'POST', { type: 'like', userName, actor });
  }

  #send<Answer = unknown>(path: string, method: string, body: object): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.#ask<Answer>(path, { method, headers, body: JSON.stringify(body) });
  }

  async #ask<Answer>(path: string, { headers, ...init }: RequestInit): Promise<Answer> {
    const cookie = `auth_token=${this.demo.accounts[0]?.authToken}`;
    const response = await fetch(this.demo.sandboxUrl + path, { ...init, headers: { ...headers, cookie } });
    if (!response.ok) throw new Error(`the sandbox answered ${response.status} to ${path}: ${await response.text()}`);
    return (await response.json()) as Answer;
  }
}
