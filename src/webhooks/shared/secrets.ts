import { createHmac } from 'node:crypto';
import type { Secret } from '../../shared/secrets/secret.ts';
import { deriveKey } from '../../shared/secrets/secret-key-file.ts';
import type { Vault } from '../../shared/secrets/vault.ts';
import type { PollerRecord, WebhookRecord } from '../../store/port.ts';

/** How long an old secret signs beside the new one (docs/webhooks.md, Rotating a secret). */
export const secretOverlapMs = 24 * 3_600_000;

/** The messages of a poller behind `behind` wait until they can be opened. */
export interface MessagesWait {
  poller: string;
  behind: number;
  /** The fence of the last run of the poller that relied on this. An earlier run must not remove it. */
  fence: number;
}

/** The sealed part of a webhook. */
export interface WebhookSecrets {
  secret: string;
  /** True once a CRC has passed with `secret`. Until then the platform's signature is made with the previous secret. */
  proven: boolean;
  previous: { secret: string; until: number } | null;
  encryptionCode: string | null;
  /** Why the code was refused. A refused code is not tried again. */
  codeRefused?: string;
  messagesWait?: MessagesWait;
}

/** The platform credentials and the proxy of a poller. */
export interface PollerCredentials {
  authToken: string;
  /** The caller's own proxy, as the caller wrote it. */
  proxy: string | null;
}

/** Seals the stored data of webhooks and pollers, and makes ids that derive from secrets. */
export class WebhookVault {
  readonly #vault: Vault;
  readonly #keys: readonly Secret<Buffer>[];

  constructor(vault: Vault, secretKeys: readonly Secret<Buffer>[]) {
    this.#vault = vault;
    this.#keys = secretKeys.map((key) => deriveKey(key, 'webhooks'));
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

  /** Seals why the platform cannot be reached, because the text names the host of the caller's proxy. */
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

  sealExcerpt(account: string, event: string, webhook: string, excerpt: string): string {
    return this.#vault.seal(excerpt, `excerpt ${account} ${event} ${webhook}`);
  }

  openExcerpt(account: string, event: string, webhook: string, sealed: string): string {
    return this.#vault.open(sealed, `excerpt ${account} ${event} ${webhook}`);
  }

  /**
   * Returns the id of the poller for an account, token and proxy under each secret key (docs/webhooks.md, Stored
   * credentials). New pollers get the first.
   */
  pollerIds(account: string, { authToken, proxy }: PollerCredentials): string[] {
    return this.#keys.map((key) => hmac(key, ['poller', account, authToken, proxy ?? '']));
  }

  /** Returns an id for the URL and secret of a handshake that reveals neither. */
  handshakeTarget(webhook: string, url: string, secret: string): string {
    return hmac(this.#newestKey(), ['handshake', webhook, url, secret]);
  }

  /** Returns the same id if the platform sends an event again. */
  eventId(account: string, platformEventId: string, type: string): string {
    return `evt_${hmac(this.#newestKey(), ['event', account, platformEventId, type])}`;
  }

  #newestKey(): Secret<Buffer> {
    const [key] = this.#keys;
    if (!key) throw new Error('ids that derive from secrets need a key');
    return key;
  }
}

/** Earlier releases stored the URL in plain text. Sealed text never begins like this. */
function isPlainUrl(text: string): boolean {
  return /^https?:/.test(text);
}

function hmac(key: Secret<Buffer>, parts: readonly string[]): string {
  const digest = createHmac('sha256', key.expose()).update(JSON.stringify(parts)).digest();
  return digest.subarray(0, 18).toString('base64url');
}
