import type { Demo } from '../../test/support/demo.ts';
import { SandboxControl } from '../../test/support/sandbox-control.ts';

/** Actions of ada and other users on the platform itself, so that the account's usage contains only the examples. */
export class Behind {
  readonly demo: Demo;
  readonly #control: SandboxControl;
  #talked: Promise<string> | undefined;

  constructor(demo: Demo) {
    this.demo = demo;
    this.#control = new SandboxControl(demo.sandboxUrl);
  }

  /** Posts a tweet. Returns its id. */
  async post(text: string): Promise<string> {
    return (await this.#send<{ data: { id: string } }>('/2/tweets', { text })).data.id;
  }

  /** Writes an article. Returns its id. */
  async write(published: boolean): Promise<string> {
    const text = 'They remember patterns.';
    const styles = [{ offset: 5, length: 8, style: 'BOLD' }];
    const blocks = [
      { type: 'header-one', text: 'Why looms' },
      { type: 'unstyled', text, styles },
    ];
    const content = { blocks, entities: [], containers: [] };
    const { data } = await this.#send<{ data: { id: string } }>('/2/articles/draft', { title: 'On looms', content });
    if (published) await this.#send(`/2/articles/${data.id}/publish`, {});
    return data.id;
  }

  /** Sends a message to grace, encrypted by the sandbox's own client of ada. Returns its seq_id. */
  async say(text: string): Promise<string> {
    const message = { from: 'ada', to: 'grace', text };
    return (await this.#send<{ event: { id: string } }>('/control/messages', message)).event.id;
  }

  /** Creates an account that is not enrolled, and returns it with its future encryption code. */
  async keyless(): Promise<{ authToken: string; encryptionCode: string }> {
    return { ...(await this.#control.mint({ chatKeys: false })), encryptionCode: '739146' };
  }

  /** Posts a tweet of ada that grace replies to, quotes, retweets and likes. The texts are always the same. Returns its id. */
  talkedAbout(): Promise<string> {
    this.#talked ??= this.post('Which boat is the fastest?').then(async (tweetId) => {
      for (const type of ['reply', 'quote', 'retweet', 'like']) await this.happen(type, { tweetId });
      return tweetId;
    });
    return this.#talked;
  }

  /** Makes grace act on ada or on one of her tweets. */
  async happen(type = 'like', of: { tweetId?: string } = {}): Promise<void> {
    const [ada, grace] = this.demo.accounts;
    await this.#control.makeEvents({ type, userName: ada.userName, actor: grace.userName, ...of });
  }

  async #send<Answer>(path: string, body: object, method = 'POST'): Promise<Answer> {
    const response = await fetch(this.demo.sandboxUrl + path, {
      method,
      headers: { 'content-type': 'application/json', ...credentials(this.demo.accounts[0].authToken) },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`the sandbox answered ${response.status} to ${path}: ${await response.text()}`);
    return (await response.json()) as Answer;
  }
}

const credentials = (token: string) => ({
  authorization: `Bearer ${token}`,
  'x-sandbox-extensions': '1',
});
