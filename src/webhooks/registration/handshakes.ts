import { PosternError } from '../../shared/errors/postern-error.ts';
import { type Runtime, sleep } from '../../shared/runtime/runtime.ts';
import { KeyedSemaphore } from '../../shared/runtime/semaphore.ts';
import { type HandshakeLease, handshakeLeaseMs, type Store, type WebhookRecord } from '../../store/port.ts';
import type { Receivers } from '../delivery/receiver.ts';
import type { SendGate, WebhookTarget } from '../delivery/send-gate.ts';
import type { WebhookVault } from '../shared/secrets.ts';
import { type CrcOutcome, checkReceiver } from './crc.ts';

/** The maximum number of concurrent handshakes of one account in each process. Checking 100 receivers that do not respond takes 50 s. */
const atOnce = 20;
/** The interval in milliseconds at which the state of a handshake in another process is read. */
const lookMs = 200;
/** The maximum time to wait for another handshake: the running one and one more. */
const waitMs = 2 * handshakeLeaseMs;

/** The webhook, URL and secret that a handshake checks. */
export interface HandshakeSubject {
  webhook: WebhookTarget;
  url: URL;
  secret: string;
  /** Derived from URL and secret. */
  target: string;
}

/** The result of a handshake. `superseded` means that the webhook was deleted or its URL changed, so the record must be read again. */
export type HandshakeOutcome = CrcOutcome | { result: 'superseded' };

export interface HandshakesParts {
  store: Store;
  vault: WebhookVault;
  receivers: Receivers;
  runtime: Runtime;
  gate: SendGate;
}

/**
 * Runs CRC handshakes. At most one handshake of each webhook runs at a time over all processes of the store. Callers in the same process
 * share its promise. Callers in other processes wait for the result of the process that holds the lease.
 */
export class Handshakes {
  readonly #parts: HandshakesParts;
  readonly #holder: string;
  readonly #slots = new KeyedSemaphore(atOnce);
  readonly #running = new Map<string, { target: string; outcome: Promise<HandshakeOutcome> }>();

  constructor(parts: HandshakesParts) {
    this.#parts = parts;
    this.#holder = parts.runtime.randomBytes(12).toString('base64url');
  }

  /** Returns the data that a handshake of this webhook checks. Uses `url` if it is given, otherwise the URL of the record. */
  subject(record: WebhookRecord, url: URL | null): HandshakeSubject {
    const { vault } = this.#parts;
    const { account, id } = record;
    const { secret } = vault.open(record);
    const checked = url ?? new URL(vault.openUrl(record));
    const webhook = url === null ? record : { account, id };
    return { webhook, url: checked, secret, target: vault.handshakeTarget(id, checked.href, secret) };
  }

  /**
   * Runs a handshake, or waits for a running one. Throws `rate_limited` if other handshakes of the webhook take too long, and errors of the
   * store.
   */
  async run(subject: HandshakeSubject): Promise<HandshakeOutcome> {
    const { id, account } = subject.webhook;
    const until = this.#parts.runtime.now() + waitMs;
    for (let other = this.#running.get(id); other; other = this.#running.get(id)) {
      if (other.target === subject.target) return other.outcome;
      await other.outcome.catch(() => {});
      if (this.#parts.runtime.now() >= until) throw tooMany();
    }
    const outcome = this.#slots.run(account, () => this.#runLeased(subject)).finally(() => this.#running.delete(id));
    this.#running.set(id, { target: subject.target, outcome });
    return outcome;
  }

  async #runLeased(subject: HandshakeSubject): Promise<HandshakeOutcome> {
    const { store, receivers, runtime, gate } = this.#parts;
    const { target, webhook } = subject;
    const lease: HandshakeLease = { account: webhook.account, webhook: webhook.id, holder: this.#holder, target };
    const until = runtime.now() + waitMs;
    for (let joined: number | null = null; ; ) {
      const state = await store.webhooks.beginHandshake(lease, joined);
      if (state === null) return { result: 'superseded' };
      const { number, holder, last } = state;
      if (holder === this.#holder) {
        const crc = await gate.during(webhook, (signal) =>
          checkReceiver(receivers, webhook.account, subject.url, subject.secret, signal),
        );
        // If this write fails, the lease expires.
        await store.webhooks.endHandshake(lease, number, crc && JSON.stringify(crc)).catch(() => {});
        return crc ?? { result: 'superseded' };
      }
      if (joined !== null && last && last.number >= joined && last.target === target) {
        return JSON.parse(last.outcome) as CrcOutcome;
      }
      joined ??= number;
      if (runtime.now() >= until) throw tooMany();
      await sleep(runtime, lookMs);
    }
  }
}

function tooMany(): PosternError {
  return new PosternError(
    'webhook_handshake_limit',
    'Other handshakes of this webhook are still running. Retry later',
    {
      retryAfterSeconds: 10,
    },
  );
}
