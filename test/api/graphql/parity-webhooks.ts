import { expect } from 'vitest';
import type { Client } from '../../support/client.ts';
import type { ReceivedRequest, TestReceiver } from '../../support/receiver.ts';
import type { SandboxControl } from '../../support/sandbox-control.ts';

/** The webhook of one caller, at an address of its own. */
export class WebhookOfFaces {
  readonly #client: Client;
  readonly userName: string;
  readonly receiver: TestReceiver;
  readonly url: string;
  /** Nobody's until it is registered. */
  id = 'wh_none';
  /** Whether its state has how many secrets sign for it. Asking costs a test event. */
  signaturesCount = false;

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

  /** Resolves once so many events of the platform were delivered, and it is written down. */
  async received(count: number): Promise<void> {
    await expect.poll(() => this.#deliveries('user.follow').length, { timeout: 15_000 }).toBe(count);
    const lastDelivery = async () => (await this.#client.get(`/webhooks/${this.id}`)).body.data['last_delivery_at'];
    await expect.poll(lastDelivery, { timeout: 15_000 }).not.toBeNull();
  }

  /** All that an action can change about the caller's webhooks. */
  async state(): Promise<object> {
    const { webhooks } = (await this.#client.get('/webhooks')).body.data as {
      webhooks: { valid: boolean; events: string[] | null }[];
    };
    return {
      webhooks: webhooks.map(({ valid, events }) => ({ valid, events })),
      ...(this.signaturesCount && { signatures: await this.#signatures() }),
      testsReceived: this.#deliveries('webhook.test').length,
      followsReceived: this.#deliveries('user.follow').length,
    };
  }

  /** How many secrets sign for it now. */
  async #signatures(): Promise<number> {
    await this.#client.post(`/webhooks/${this.id}/test`);
    return String(this.#deliveries('webhook.test').at(-1)?.headers['webhook-signature']).split(' ').length;
  }

  #deliveries(type: string): ReceivedRequest[] {
    const path = new URL(this.url).pathname;
    return this.receiver.deliveries.filter(({ url, body }) => url === path && body.includes(`"type":"${type}"`));
  }
}

/** What must be there for an action on a webhook to show or change something. */
export async function prepareWebhook(action: string, hook: WebhookOfFaces, sandbox: SandboxControl): Promise<void> {
  if (!action.startsWith('webhooks/') || action === 'webhooks/create') return;
  if (action === 'webhooks/validate') hook.receiver.answerCrcWith(() => ({ status: 404 }));
  await hook.register();
  hook.receiver.answerCrcWith(null);
  hook.signaturesCount = action === 'webhooks/rotate-secret';
  if (action !== 'webhooks/deliveries' && action !== 'webhooks/replay') return;
  await sandbox.makeEvents({ type: 'follow', userName: hook.userName });
  await hook.received(1);
}
