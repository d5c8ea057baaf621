import { DeliveryQueue, type DeliveryQueueParts } from './delivery-queue.ts';
import type { QueuedDelivery } from './delivery-window.ts';

/** A delivery queue for each webhook of one poller. */
export class DeliveryQueues {
  readonly #parts: DeliveryQueueParts;
  readonly #queues = new Map<string, DeliveryQueue>();
  #isEnded = false;

  constructor(parts: DeliveryQueueParts) {
    this.#parts = parts;
  }

  /** Deliveries in memory. */
  get backlog(): number {
    let backlog = 0;
    for (const queue of this.#queues.values()) backlog += queue.length;
    return backlog;
  }

  /** Reads the webhooks again. `woken`: the store may have new deliveries for any of them. */
  async read(woken: boolean): Promise<void> {
    const { webhooks } = this.#parts;
    await webhooks.read();
    if (this.#isEnded) return;
    for (const [id, queue] of this.#queues) {
      queue.see();
      if (queue.isEnded) this.#queues.delete(id);
    }
    for (const webhook of webhooks.all) {
      const known = this.#queues.get(webhook.id);
      const queue = known ?? new DeliveryQueue(webhook, this.#parts);
      this.#queues.set(webhook.id, queue);
      if (woken || queue.refreshedAt !== webhook.revision) queue.refresh();
    }
  }

  /** A new delivery, which the store has already. */
  add(webhook: string, delivery: QueuedDelivery): void {
    this.#queues.get(webhook)?.add(delivery);
  }

  /** Begins nothing more. Resolves when the running attempts are over and stored. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all([...this.#queues.values()].map((queue) => queue.end()));
  }
}
