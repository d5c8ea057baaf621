import { PosternError } from '../shared/errors/postern-error.ts';
import type { WebhookEventType } from '../shared/model/event.ts';
import { formatIsoTime } from '../shared/model/time.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import { type Vault, VaultError } from '../shared/secrets/vault.ts';

/** The time in milliseconds for which a token opens its stream. */
export const streamTokenMs = 15 * 60_000;

/** The largest credentials and all event types take about 8,000 characters. */
const longestToken = 10_000;
const form = /^stream\.(\d{1,11})\.(v1\.[\w-]+\.[\w-]+)$/;

/** What a token contains: the API key that opens the stream, the stream's actor, and its filter. */
export interface StreamGrant {
  /** The SHA-256 of the API key. The key itself is not stored anywhere. */
  readonly keyHash: string;
  readonly authToken: string;
  readonly proxy: string | null;
  readonly encryptionCode: string | null;
  /** The event types of the stream; `null` for all types. */
  readonly types: readonly WebhookEventType[] | null;
}

/**
 * Makes and opens the tokens with which a browser's `EventSource` opens a live stream. A token is encrypted under `SECRET_KEY` and is not
 * stored, so every process of an installation can open it. The expiry is in plain text and part of the record that the encryption is bound to,
 * so it cannot be changed.
 */
export class StreamTokens {
  readonly #vault: Vault;
  readonly #storeNow: () => number;

  constructor(vault: Vault, storeNow: () => number) {
    this.#vault = vault;
    this.#storeNow = storeNow;
  }

  /** `keyExpiresAt` is the expiry of the API key; `null` if it has none. */
  make(grant: StreamGrant, keyExpiresAt: number | null): { token: string; expiresAt: number } {
    const expiresAt = Math.min(this.#storeNow() + streamTokenMs, keyExpiresAt ?? Number.POSITIVE_INFINITY);
    const seconds = Math.floor(expiresAt / 1_000);
    const sealed = this.#vault.seal(JSON.stringify(grant), recordOf(seconds));
    return { token: `stream.${seconds}.${sealed}`, expiresAt: seconds * 1_000 };
  }

  /** Opens a token. Throws `unauthenticated` if it has expired or was not made by this installation. */
  open(token: Secret): StreamGrant {
    const [, expiry, sealed] = (token.expose().length <= longestToken && form.exec(token.expose())) || [];
    if (expiry === undefined || sealed === undefined) throw invalidToken();
    const grant = this.#unseal(sealed, Number(expiry));
    const expiresAt = Number(expiry) * 1_000;
    if (expiresAt <= this.#storeNow()) {
      throw new PosternError(
        'stream_token_expired',
        `Invalid token: it expired at ${formatIsoTime(expiresAt)}. ${remedy}`,
      );
    }
    return grant;
  }

  #unseal(sealed: string, seconds: number): StreamGrant {
    try {
      return JSON.parse(this.#vault.open(sealed, recordOf(seconds))) as StreamGrant;
    } catch (error) {
      if (error instanceof VaultError) throw invalidToken();
      throw error;
    }
  }
}

const remedy =
  'Request a new one with POST /v1/events/token, and open the stream with it and with last_event_id, the id of the last event that you have';

function invalidToken(): PosternError {
  return new PosternError(
    'stream_token_invalid',
    `Invalid token: it is incomplete or altered, or its SECRET_KEY is no longer configured. ${remedy}`,
  );
}

function recordOf(seconds: number): string {
  return `event stream until ${seconds}`;
}
