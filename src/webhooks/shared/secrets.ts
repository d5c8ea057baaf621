import { createHmac } from 'node:crypto';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import { derivePurposeKey } from '../../shared/secrets/secret-key-file.ts';
import type { Vault } from '../../shared/secrets/vault.ts';
import type { PollerRecord, Store, WebhookRecord } from '../../store/port.ts';

/**
 * The time in milliseconds during which deliveries are signed with both the old and the new secret (docs/webhooks.md, Rotating a secret).
 */
export const secretOverlapMs = 24 * 3_600_000;

/** The messages of a poller after position `behind` wait until they can be opened. */
export interface MessagesWait {
  poller: string;
  behind: number;
  /** The fence of the last run of the poller that relied on this position. An earlier run must not remove it. */
  fence: number;
}

/** The encrypted data of a webhook. */
export interface WebhookSecrets {
  secret: string;
  /** True after a CRC has passed with `secret`. Until then the platform's signature is made with the previous secret. */
  proven: boolean;
  previous: { secret: string; until: number } | null;
  encryptionCode: string | null;
  /** The reason why the code was refused. A refused code is not tried again. */
  codeRefused?: string;
  messagesWait?: MessagesWait;
}

export interface DeliverySignatures {
  platform: string;
  standard: string;
}

/** The part of a delivery attempt that is encrypted. */
export interface AttemptExchange {
  signatures: DeliverySignatures;
  /** The first 1 KiB of the response body; `null` if there was no response. */
  response: string | null;
}

export interface PollerCredentials {
  authToken: string;
  /** The URL of the caller's own proxy, unchanged. */
  proxy: string | null;
}

/** What most parts of this module use. */
export interface WebhookContext {
  store: Store;
  vault: WebhookVault;
  runtime: Runtime;
}

/** Encrypts and decrypts the stored data of webhooks and pollers, and derives ids from secrets. */
export class WebhookVault {
  readonly #vault: Vault;
  readonly #keys: readonly Secret<Buffer>[];

  constructor(vault: Vault, secretKeys: readonly Secret<Buffer>[]) {
    this.#vault = vault;
    this.#keys = secretKeys.map((key) => derivePurposeKey(key, 'webhooks'));
  }

  seal({ account, id }: Pick<WebhookRecord, 'account' | 'id'>, secrets: WebhookSecrets): string {
    return this.#vault.seal(JSON.stringify(secrets), `webhook ${account} ${id}`);
  }

  open({ account, id, sealed }: Pick<WebhookRecord, 'account' | 'id' | 'sealed'>): WebhookSecrets {
    return JSON.parse(this.#vault.open(sealed, `webhook ${account} ${id}`)) as WebhookSecrets;
  }

  sealUrl({ account, id }: Pick<WebhookRecord, 'account' | 'id'>, url: string): string {
    return this.#vault.seal(url, `webhook-url ${account} ${id}`);
  }

  openUrl({ account, id, url }: Pick<WebhookRecord, 'account' | 'id' | 'url'>): string {
    return isPlainUrl(url) ? url : this.#vault.open(url, `webhook-url ${account} ${id}`);
  }

  sealPoller(account: string, id: string, credentials: PollerCredentials): string {
    return this.#vault.seal(JSON.stringify(credentials), `poller ${account} ${id}`);
  }

  openPoller({ account, id, sealed }: Pick<PollerRecord, 'account' | 'id' | 'sealed'>): PollerCredentials {
    return JSON.parse(this.#vault.open(sealed, `poller ${account} ${id}`)) as PollerCredentials;
  }

  /** Encrypts the reason why the platform is unreachable, because the text contains the host of the caller's proxy. */
  sealUnreachable({ account, id }: Pick<PollerRecord, 'account' | 'id'>, reason: string): string {
    return this.#vault.seal(reason, `poller-unreachable ${account} ${id}`);
  }

  openUnreachable({ account, id, unreachable }: Pick<PollerRecord, 'account' | 'id' | 'unreachable'>): string | null {
    return unreachable && this.#vault.open(unreachable, `poller-unreachable ${account} ${id}`);
  }

  sealBody(account: string, event: string, body: string): string {
    return this.#vault.seal(body, `event ${account} ${event}`);
  }

  openBody(account: string, event: string, sealed: string): string {
    return this.#vault.open(sealed, `event ${account} ${event}`);
  }

  sealExchange(account: string, event: string, webhook: string, exchange: AttemptExchange): string {
    return this.#vault.seal(JSON.stringify(exchange), `attempt ${account} ${event} ${webhook}`);
  }

  openExchange(account: string, event: string, webhook: string, sealed: string): AttemptExchange {
    return JSON.parse(this.#vault.open(sealed, `attempt ${account} ${event} ${webhook}`)) as AttemptExchange;
  }

  /**
   * Returns the poller id for an account, token and proxy, derived with each secret key (docs/webhooks.md, Stored credentials). New pollers
   * get the first id.
   */
  pollerIds(account: string, { authToken, proxy }: PollerCredentials): string[] {
    return this.#keys.map((key) => hmac(key, ['poller', account, authToken, proxy ?? '']));
  }

  /** Returns an id for the URL and secret of a handshake. The id does not reveal either of them. */
  handshakeTarget(webhook: string, url: string, secret: string): string {
    return hmac(this.#newestKey(), ['handshake', webhook, url, secret]);
  }

  /** Derives the id of an event. The same event of the platform always gets the same id. */
  eventId(account: string, platformEventId: string, type: string): string {
    return `evt_${hmac(this.#newestKey(), ['event', account, platformEventId, type])}`;
  }

  #newestKey(): Secret<Buffer> {
    const [key] = this.#keys;
    if (!key) throw new Error('a secret key is required to derive ids');
    return key;
  }
}

/** Returns true for a URL that an earlier release stored in plain text. Encrypted text never begins with a URL scheme. */
function isPlainUrl(text: string): boolean {
  return /^https?:/.test(text);
}

function hmac(key: Secret<Buffer>, parts: readonly string[]): string {
  const digest = createHmac('sha256', key.expose()).update(JSON.stringify(parts)).digest();
  return digest.subarray(0, 18).toString('base64url');
}
