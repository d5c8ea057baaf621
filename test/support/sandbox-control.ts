import type { DemoAccount } from '../../src/platform/demo-world.ts';

/** The sandbox's control routes, for tests that look behind the gateway. */
export class SandboxControl {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** How often each operation was asked for, since the start. */
  async requests(operation: string): Promise<number> {
    const { requests } = (await this.#send('/control/stats')) as { requests: Record<string, number> };
    return requests[operation] ?? 0;
  }

  /** Texts of the tweets that calls made. */
  async tweets(): Promise<string[]> {
    const { tweets } = (await this.#send('/control/tweets')) as { tweets: { text: string }[] };
    return tweets.map(({ text }) => text);
  }

  async mint(wanted: Record<string, unknown> = {}): Promise<DemoAccount> {
    const { accounts } = (await this.#send('/control/accounts', wanted)) as { accounts: DemoAccount[] };
    const [account] = accounts;
    if (!account) throw new Error('the sandbox minted nobody');
    return account;
  }

  async clearFaults(): Promise<void> {
    await this.#send('/control/faults/clear', {});
  }

  async #send(path: string, body?: Record<string, unknown>): Promise<unknown> {
    const response = await fetch(this.#url + path, {
      ...(body && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  }
}
