import type { DemoAccount } from '../../src/platform/sandbox/demo-dataset.ts';
import { xOperations } from '../../src/sandbox/x/operations.ts';

const ofActors = new Set(xOperations.map(({ id }) => id));

/** Selects every request of an action. Look-ups, of which these actions consist, are affected only by faults that name them. */
export const everyRequestOf = ({ name }: { name: string }) => ({
  times: null,
  ...(/^user\/(?:me|info)$/.test(name) && { path_prefix: '/2/users/' }),
});

export type PlatformEvents = { id: string; tweet: { id: string } | null; actor: { id: string } }[];

/** Calls the control routes of the sandbox, for tests that check the platform's state. */
export class SandboxControl {
  url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** Returns the number of calls of an operation since the start. */
  async requests(operation: string): Promise<number> {
    const { requests } = (await this.#send('/control/stats')) as { requests: Record<string, number> };
    return requests[operation] ?? 0;
  }

  /** Returns the number of calls of each operation by an actor while `run` ran. */
  async requestsDuring<Result>(run: () => Promise<Result>): Promise<[Result, Record<string, number>]> {
    const before = await this.#actorRequests();
    const result = await run();
    const asked = Object.entries(await this.#actorRequests())
      .map(([operation, count]) => [operation, count - (before[operation] ?? 0)] as const)
      .filter(([, count]) => count > 0);
    return [result, Object.fromEntries(asked)];
  }

  /** Returns the number of requests for the activity of a user that the sandbox holds. */
  async waiting(userId: string): Promise<number> {
    const { waiting } = (await this.#send('/control/stats')) as { waiting: Record<string, number> };
    return waiting[userId] ?? 0;
  }

  async #actorRequests(): Promise<Record<string, number>> {
    const { requests } = (await this.#send('/control/stats')) as { requests: Record<string, number> };
    return Object.fromEntries(Object.entries(requests).filter(([operation]) => ofActors.has(operation)));
  }

  /** Returns the texts of the tweets that calls created. */
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

  /** Makes other users act on an account. */
  async makeEvents(wanted: {
    type: string;
    userName: string;
    count?: number;
    actor?: string;
    tweetId?: string;
    text?: string;
  }): Promise<PlatformEvents> {
    return ((await this.#send('/control/events', wanted)) as { events: PlatformEvents }).events;
  }

  /** Adds followers without credentials to a user. */
  async addFollowers(userName: string, count: number): Promise<void> {
    await this.#send('/control/followers', { userName, count });
  }

  /** Makes an account send a message to another one. */
  async makeMessage(wanted: { from: string; to: string; text?: string; corrupt?: boolean }) {
    return (await this.#send('/control/messages', wanted)) as { conversation_id: string; event: { id: string } };
  }

  async setFault(wanted: { fault: Record<string, unknown>; [target: string]: unknown }): Promise<void> {
    await this.#send('/control/faults', wanted);
  }

  async clearFaults(): Promise<void> {
    await this.#send('/control/faults/clear', {});
  }

  async #send(path: string, body?: Record<string, unknown>): Promise<unknown> {
    const response = await fetch(this.url + path, {
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
