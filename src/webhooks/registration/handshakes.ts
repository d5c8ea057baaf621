import { randomBytes } from 'node:crypto';
import { isSameText } from '../../client/webhooks/signature.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { parseUntrustedJson } from '../../shared/json/untrusted-json.ts';
import { sleep } from '../../shared/runtime/runtime.ts';
import { KeyedSemaphore } from '../../shared/runtime/semaphore.ts';
import { type HandshakeLease, handshakeLeaseMs, type WebhookRecord } from '../../store/port.ts';
import type { ReceiverResponse, Receivers } from '../delivery/receiver.ts';
import type { SendGate, WebhookTarget } from '../delivery/send-gate.ts';
import { crcResponseToken } from '../delivery/signatures.ts';
import type { WebhookContext } from '../shared/secrets.ts';

/** The maximum number of concurrent handshakes of one account in each process. Checking 100 receivers that do not respond takes 50 s. */
const atOnce = 20;
/** The interval in milliseconds at which the state of a handshake in another process is read. */
const readMs = 200;
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

/** The result of a handshake. `unreachable` means an error of the network or of the receiver that may be temporary. */
export type CrcOutcome = { result: 'passed' } | { result: 'wrong' | 'unreachable'; reason: string };

/** The result of a handshake. `superseded` means that the webhook was deleted or its URL changed, so the record must be read again. */
export type HandshakeOutcome = CrcOutcome | { result: 'superseded' };

export interface HandshakesParts extends WebhookContext {
  receivers: Receivers;
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
      await sleep(runtime, readMs);
    }
  }
}

function tooMany(): PosternError {
  const message = 'Other handshakes of this webhook are still running. Retry later';
  return new PosternError('webhook_handshake_limit', message, { retryAfterSeconds: 10 });
}

/**
 * Runs the CRC handshake (docs/webhooks.md, The handshake). It asks the receiver to sign a token with the webhook's secret. If the
 * handshake fails, `reason` explains the receiver's mistake to its developer.
 */
async function checkReceiver(
  receivers: Receivers,
  account: string,
  url: URL,
  secret: string,
  signal?: AbortSignal,
): Promise<CrcOutcome> {
  const token = randomBytes(24).toString('base64url');
  const asked = new URL(url);
  // `searchParams` is not used, because it would re-encode the receiver's own query.
  asked.search = `${asked.search === '' ? '?' : `${asked.search}&`}crc_token=${token}`;
  const answer = await receivers.get(account, asked, signal);
  if ('reason' in answer) return { result: 'unreachable', reason: `CRC failed: ${answer.reason}` };
  const reason = mistakeIn(answer, crcResponseToken(token, secret));
  if (reason === null) return { result: 'passed' };
  return { result: answer.status >= 500 ? 'unreachable' : 'wrong', reason: `CRC failed: ${reason}` };
}

function mistakeIn({ status, text }: ReceiverResponse, expected: string): string | null {
  if (status >= 300 && status < 400) return `it answered with a redirect (${status}), which is not followed`;
  if (status !== 200) return `it answered with status ${status} instead of 200`;
  let body: unknown;
  try {
    body = parseUntrustedJson(text);
  } catch {
    return 'its answer is not JSON';
  }
  const given = typeof body === 'object' && body !== null && 'response_token' in body ? body.response_token : undefined;
  if (typeof given !== 'string') return 'its answer has no text under response_token';
  if (isSameText(given, expected)) return null;
  const hex = `sha256=${Buffer.from(expected.slice('sha256='.length), 'base64').toString('hex')}`;
  if (given.toLowerCase() === hex) return 'response_token is in hex instead of base64';
  if (!given.startsWith('sha256=')) return 'response_token does not begin with sha256=';
  return 'response_token was not made with the secret of this webhook, over the crc_token';
}
