/** Actions of ada and other users on the platform itself, so that the account's usage contains only the examples. */
export class Behind {
  constructor(demo) {
    this.demo = demo;
  }

  /** Posts a tweet. Returns its id. */
  async post(text) {
    const { tweet } = await this.#send('/api/tweets', 'POST', { text });
    return tweet.id;
  }

  /** Writes an article. Returns its id. */
  async write(published) {
    const send = (path, method, body) => this.#send(`/api/articles${path}`, method, body);
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
  async say(text) {
    const { event } = await this.#send('/control/messages', 'POST', { from: 'ada', to: 'grace', text });
    return event.seq_id;
  }

  /** Creates an account that is not enrolled, and returns it with its future encryption code. */
  async keyless() {
    const { accounts } = await this.#send('/control/accounts', 'POST', { chatKeys: false });
    return { ...accounts[0], encryptionCode: '739146' };
  }

  /** Posts a tweet of ada that grace replies to, quotes and retweets. The texts are always the same. Returns its id. */
  async talkedAbout() {
    this.talked ??= this.#talkAbout(await this.post('Which boat is the fastest?'));
    return this.talked;
  }

  async #talkAbout(tweetId) {
    const [{ userName }, { userName: actor }] = this.demo.accounts;
    for (const type of ['reply', 'quote', 'retweet'])
      await this.#send('/control/events', 'POST', { type, userName, actor, tweetId });
    return tweetId;
  }

  /** Makes a user like a tweet of ada. */
  async happen() {
    const [{ userName }, { userName: actor }] = this.demo.accounts;
    await this.#send('/control/events', 'POST', { type: 'like', userName, actor });
  }

  #send(path, method, body) {
    const headers = { 'content-type': 'application/json' };
    return this.#ask(path, { method, headers, body: JSON.stringify(body) });
  }

  async #ask(path, { headers, ...init } = {}) {
    const cookie = `auth_token=${this.demo.accounts[0].authToken}`;
    const response = await fetch(this.demo.sandboxUrl + path, { ...init, headers: { ...headers, cookie } });
    if (!response.ok) throw new Error(`the sandbox answered ${response.status} to ${path}: ${await response.text()}`);
    return response.json();
  }
}
