/** What ada and others do behind the gateway, so that the account's books show the examples alone. */
export class Behind {
  constructor(demo) {
    this.demo = demo;
  }

  /** Posts a tweet. Answers its id. */
  async post(text) {
    const { tweet } = await this.#send('/api/tweets', 'POST', { text });
    return tweet.id;
  }

  /** Writes an article. Answers its id. */
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

  /** Says something to grace, sealed by the sandbox's own client of ada. Answers its seq_id. */
  async say(text) {
    const { event } = await this.#send('/control/messages', 'POST', { from: 'ada', to: 'grace', text });
    return event.seq_id;
  }

  /** An account that has yet to enroll, and the code that it will have. */
  async keyless() {
    const { accounts } = await this.#send('/control/accounts', 'POST', { chatKeys: false });
    return { ...accounts[0], encryptionCode: '739146' };
  }

  /** A tweet of ada that grace answers, quotes and retweets; the same every time. Answers its id. */
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

  /** Somebody likes what ada wrote. */
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
