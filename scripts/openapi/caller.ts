import type { Store } from '../../src/store/port.ts';
import type { Demo } from '../../test/support/demo.ts';
import type { TestReceiver } from '../../test/support/receiver.ts';
import { Behind } from './behind.ts';
import type { HeldTimers } from './held.ts';

/** The default URLs. They replace the URLs with random ports in the examples. */
const shownSandbox = 'http://127.0.0.1:4001';
const shownGateway = 'http://127.0.0.1:4000';
const shownReceiver = 'http://localhost:9000/postern';

/** Values that are random or depend on an unpredictable order. */
const made: Record<string, string> = {
  message_id: '7b0f3c1e-5a52-4c7e-9d0b-2f6a1e8c4d93',
  media_hash_key: 'q2Xk0m1l9dYb3w8ZrT5uHcVnE7sQfJgA4oPiLtRxWyU',
  token: 'stream.1795252500.v1.qPlEZh6m.T7VIdSR4c1eaKKHhRU6slJNpZsJQVQ3XUtwye3JgovqDRGIen2abC',
};

export type Fields = Record<string, unknown>;

/** What a request needs of an action. */
interface Call {
  method: string;
  path: string;
  name: string;
  actor?: string | boolean | null;
}

interface Learned {
  id: string;
  deliveries?: { event_id: string }[];
  secret?: string;
}

/** Calls the gateway as `ada`. */
export class Caller {
  readonly demo: Demo;
  readonly behind: Behind;
  readonly receiver: TestReceiver;
  readonly store: Store;
  readonly timers: HeldTimers;
  webhook: { id: string } | undefined;
  apiKey: { id: string } | undefined;
  connection: { id: string } | undefined;
  eventId: string | undefined;

  constructor({ demo, store, timers }: Pick<Caller, 'demo' | 'store' | 'timers'>, receiver: TestReceiver) {
    this.demo = demo;
    this.behind = new Behind(demo);
    this.receiver = receiver;
    this.store = store;
    this.timers = timers;
  }

  /** Later examples use ids that earlier examples created. */
  learn({ name }: { name: string }, data: Learned): void {
    if (name === 'webhooks/create') this.webhook = data;
    if (name === 'webhooks/deliveries') this.eventId = data.deliveries?.[0]?.event_id;
    if (name === 'account/keys/create') this.apiKey = data;
    if (name === 'connections/create') this.connection = data;
    if (data.secret !== undefined) this.receiver.secret = data.secret;
  }

  async call(action: Call, input: Fields): Promise<{ data: Learned }> {
    const response = await this.#ask(action, input);
    return (await response.json()) as { data: Learned };
  }

  /** Returns the beginning of a stream after an event. */
  async firstEvent(action: Call, input: Fields): Promise<string> {
    this.timers.letRun();
    const controller = new AbortController();
    const response = await this.#ask(action, input, controller.signal);
    await this.behind.happen();
    const text = await readUntil(response, /^[\s\S]*data: [\s\S]*\n\n$/);
    controller.abort();
    return text;
  }

  async #ask({ method, path, actor, name }: Call, input: Fields, signal: AbortSignal | null = null): Promise<Response> {
    const left = { ...input };
    const as = name === 'dm/enroll' ? await this.behind.keyless() : this.demo.accounts[0];
    const filled = path.replaceAll(/\{(\w+)\}/g, (_match, field: string) => {
      const value = left[field];
      delete left[field];
      return encodeURIComponent(String(value));
    });
    const query = method === 'GET' ? `?${new URLSearchParams(left as Record<string, string>)}` : '';
    const hasBody = method !== 'GET' && method !== 'DELETE';
    const response = await fetch(this.demo.baseUrl + filled + query, {
      method,
      signal,
      headers: {
        authorization: `Bearer ${this.demo.apiKey}`,
        ...(actor && { 'x-auth-token': as?.authToken ?? '' }),
        ...(name.startsWith('dm/') && { 'x-encryption-code': as?.encryptionCode ?? '' }),
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(left) }),
    });
    if (response.status !== 200) {
      const { error } = (await response.json()) as { error: string };
      throw new Error(`${name}: its example ${JSON.stringify(input)} was answered ${response.status}: ${error}`);
    }
    return response;
  }

  /** Makes the sandbox create an event for the webhook, and waits until the store shows it as delivered. */
  async haveAnEventDelivered(): Promise<void> {
    this.timers.letRun();
    await this.behind.happen();
    const { data: account } = await this.call({ method: 'GET', path: '/account', name: 'account' }, {});
    for (;;) {
      const [delivery] = await this.store.deliveries.list(account.id, this.webhook?.id ?? '', 1);
      if (delivery?.state === 'delivered') return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Replaces the port by the default port of the sandbox. */
  elsewhere<Value>(value: Value): Value {
    const text = JSON.stringify(value).replaceAll(this.demo.sandboxUrl, shownSandbox);
    const shown = text
      .replaceAll(new URL(this.demo.baseUrl).origin, shownGateway)
      .replaceAll(this.receiver.url, shownReceiver)
      .replaceAll(new URL(this.receiver.url).host, new URL(shownReceiver).host);
    return JSON.parse(shown, (name, each) => made[name] ?? each);
  }
}

/** Reads a stream until its text matches, and returns the match. */
export async function readUntil({ body }: Response, pattern: RegExp): Promise<string> {
  let text = '';
  if (!body) throw new Error('a stream has no body');
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const [match] = pattern.exec(text) ?? [];
    if (match !== undefined) return match;
  }
  throw new Error(`the stream ended too early: ${text}`);
}
