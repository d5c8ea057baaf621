import { expect } from 'vitest';
import type { Client } from '../../support/client.ts';
import type { ReceivedRequest, TestReceiver } from '../../support/receiver.ts';
import type { ParityPlatform } from './parity-platform.ts';

/** The webhook of one caller, with its own URL. */
export class ParityWebhook {
  readonly #client: Client;
  readonly userName: string;
  readonly receiver: TestReceiver;
  readonly url: string;
  /** An id that does not exist until the webhook is registered. */
  id = 'wh_none';
  /** The id of the event that was delivered last. */
  eventId = 'evt_none';
  /** If true, the state includes the number of secrets that sign deliveries. Reading it sends a test event. */
  signaturesCount = false;
  #testsSent = 0;

  constructor(client: Client, userName: string, receiver: TestReceiver) {
    this.#client = client;
    this.userName = userName;
    this.receiver = receiver;
    this.url = `${receiver.url}/${userName}`;
  }

  async register(): Promise<void> {
    const { body } = await this.#client.post('/webhooks', { url: this.url, secret: this.receiver.secret });
    this.id = String(body.data['id']);
  }

  /** Resolves when a number of platform events was delivered and the results are stored. */
  async received(count: number): Promise<void> {
    await expect.poll(() => this.#deliveries('user.follow').length).toBe(count);
    const lastDelivery = async () => (await this.#client.get(`/webhooks/${this.id}`)).body.data['last_delivery_at'];
    await expect.poll(lastDelivery).not.toBeNull();
    this.eventId = String(this.#deliveries('user.follow').at(-1)?.headers['webhook-id']);
  }

  /** Returns everything that an action can change about the caller's webhooks. */
  async state(): Promise<object> {
    const { webhooks } = (await this.#client.get('/webhooks')).body.data as {
      webhooks: { valid: boolean; events: string[] | null; paused: boolean }[];
    };
    return {
      webhooks: webhooks.map(({ valid, events, paused }) => ({ valid, events, paused })),
      ...(this.signaturesCount && { signatures: await this.#signatures() }),
      testsReceived: this.#deliveries('webhook.test').length - this.#testsSent,
      followsReceived: this.#deliveries('user.follow').length,
    };
  }

  /** Returns the number of secrets that currently sign deliveries. */
  async #signatures(): Promise<number> {
    this.#testsSent += 1;
    await this.#client.post(`/webhooks/${this.id}/test`);
    return String(this.#deliveries('webhook.test').at(-1)?.headers['webhook-signature']).split(' ').length;
  }

  #deliveries(type: string): ReceivedRequest[] {
    const path = new URL(this.url).pathname;
    return this.receiver.deliveries.filter(({ url, body }) => url === path && body.includes(`"type":"${type}"`));
  }
}

/** Actions on events that were delivered. */
export const needsDelivery = /deliver|replay|resend/;

/** Creates the state that an action on a webhook needs to have an effect. */
export async function prepareWebhook(action: string, hook: ParityWebhook, platform: ParityPlatform): Promise<void> {
  if (!/\bwebhooks\b/.test(action) || action === 'webhooks/create') return;
  if (action === 'webhooks/validate') hook.receiver.answerCrcWith(() => ({ status: 404 }));
  await hook.register();
  hook.receiver.answerCrcWith(null);
  hook.signaturesCount = action === 'webhooks/rotate-secret';
  if (!needsDelivery.test(action)) return;
  await platform.follow?.(hook.userName);
  await hook.received(1);
}
