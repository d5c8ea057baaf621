import { setTimeout as sleep } from 'node:timers/promises';
import type { Overrides } from '../../src/main/app.ts';
import type { Environment } from '../../src/shared/config/config.ts';
import { Writer } from '../messaging/conversations/fixture.ts';
import { atEnd } from '../support/at-end.ts';
import { Client } from '../support/client.ts';
import { startReceiver, type TestReceiver } from '../support/receiver.ts';
import { type PlatformEvents, SandboxControl } from '../support/sandbox-control.ts';
import { startService, type TestService } from '../support/service.ts';

export const secret = 'the-secret-of-these-tests';

export interface Webhook {
  id: string;
  url: string;
  valid: boolean;
  created_at: string;
  secret?: string;
  events: string[] | null;
  last_validated_at: string | null;
  last_delivery_at: string | null;
  last_error: string | null;
  paused?: boolean;
  state?: string;
  state_reason?: string | null;
}

export interface Account {
  userName: string;
  userId: string;
  authToken: string;
}

/** A service that ends with the test. */
export class WebhookFixture {
  readonly service: TestService;
  readonly sandbox: SandboxControl;

  constructor(service: TestService) {
    this.service = service;
    this.sandbox = new SandboxControl(service.demo.sandboxUrl);
  }

  receiver(options: Parameters<typeof startReceiver>[0] = {}): Promise<TestReceiver> {
    return startReceiver({ secret, ...options });
  }

  /** A platform account of its own, and somebody who pays for it. */
  async actor(): Promise<{ account: Account; client: Client }> {
    const account = await this.sandbox.mint();
    const { key } = await this.service.makeAccount('10');
    const client = new Client({ baseUrl: this.service.demo.baseUrl, key, authToken: account.authToken });
    return { account, client };
  }

  /** An actor with a valid webhook. `owner` has no credentials of the platform. */
  async webhook(wish: Record<string, unknown> = {}, options: Parameters<typeof startReceiver>[0] = {}) {
    const { account, client } = await this.actor();
    const receiver = await this.receiver(options);
    const { id } = await register(client, { url: receiver.url, ...wish });
    return { account, client, owner: client.with({ authToken: '' }), receiver, id };
  }

  /** Two platform accounts with chat keys, and one API account that pays for both. */
  async writers(): Promise<[Writer, Writer]> {
    const { client } = await this.actor();
    return [new Writer(await this.sandbox.mint(), client), new Writer(await this.sandbox.mint(), client)];
  }

  /** Something happens to the account; answers the platform's events. */
  happen({ userName }: Account, type = 'follow', count = 1, more: { text?: string } = {}): Promise<PlatformEvents> {
    return this.sandbox.makeEvents({ userName, type, count, ...more });
  }

  stop(): Promise<void> {
    return this.service.stop();
  }
}

export async function startWebhookFixture(env: Environment = {}, overrides: Overrides = {}): Promise<WebhookFixture> {
  const service = await startService({ RATE_LIMIT: '0', ...env }, overrides);
  atEnd(service.stop);
  return new WebhookFixture(service);
}

export async function register(client: Client, wish: Record<string, unknown>): Promise<Webhook> {
  const answer = await client.post('/webhooks', { secret, ...wish });
  if (answer.status !== 200) throw new Error(`not registered: ${answer.body.error}`);
  return answer.body.data as unknown as Webhook;
}

/** As the account's owner sees it. */
export async function fetchWebhook(client: Client, id: string): Promise<Webhook> {
  const answer = await client.with({ authToken: '' }).get(`/webhooks/${id}`);
  return answer.body.data as unknown as Webhook;
}

/** PUT, PATCH and DELETE. */
export function changeWebhook(client: Client, method: string, path: string, body?: Record<string, unknown>) {
  const headers = body && { 'content-type': 'application/json' };
  return client.send(method, path, body && JSON.stringify(body), headers);
}

/** Returns the outcomes of a webhook's deliveries. */
export async function outcomesOf(client: Client, id: string): Promise<string[]> {
  const answer = await client.with({ authToken: '' }).get(`/webhooks/${id}/deliveries`, { count: '100' });
  return (answer.body.data['deliveries'] as { outcome: string }[]).map(({ outcome }) => outcome);
}

/** Waits until a receiver has received nothing for two seconds. */
export async function untilQuiet({ requests }: TestReceiver): Promise<void> {
  let before: number;
  do {
    before = requests.length;
    await sleep(2_000);
  } while (requests.length > before);
}

export const idsOf = (deliveries: TestReceiver['deliveries']): string[] =>
  deliveries.map(({ body }) => (JSON.parse(body) as { id: string }).id);
