import type { Account, Json, OpenSandbox, Reply } from './harness.ts';

/** The activity feed of one account. Each read continues after the previous one. */
export class Feed {
  readonly account: Account;
  readonly #sandbox: OpenSandbox;
  cursor: string | undefined;
  /** True if the last page reported that earlier events were lost. */
  gap = false;

  constructor(sandbox: OpenSandbox, account: Account) {
    this.#sandbox = sandbox;
    this.account = account;
  }

  page(query: Record<string, string> = {}): Promise<Reply> {
    return this.#sandbox.get(`/sandbox/activity?${new URLSearchParams(query)}`, this.account);
  }

  /** Returns the new events, page by page. The first read returns nothing. */
  async read(count = 100): Promise<Json[]> {
    const found: Json[] = [];
    for (;;) {
      const query = this.cursor === undefined ? {} : { pagination_token: this.cursor };
      const { status, body } = await this.page({ ...query, max_results: String(count) });
      if (status !== 200) throw new Error(JSON.stringify(body));
      this.cursor = body.meta.next_token;
      this.gap = body.meta.gap;
      found.push(...body.data);
      if (body.data.length < count) return found;
    }
  }

  /** Returns `type screen_name` of each new event. */
  async told(): Promise<string[]> {
    return (await this.read()).map(({ type, actor }) => `${type} ${actor.screen_name}`);
  }
}
