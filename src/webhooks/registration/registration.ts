import { createHash } from 'node:crypto';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { AuditAction, AuditAuthor } from '../../shared/model/audit.ts';
import type { WebhookEventType } from '../../shared/model/event.ts';
import { formatIsoTime } from '../../shared/model/time.ts';
import type { CreatedWebhook } from '../../shared/model/webhook.ts';
import { decryptedOrNull } from '../../shared/secrets/vault.ts';
import { type AuditEntry, auditEntryOf, type WebhookRecord } from '../../store/port.ts';
import type { Receivers } from '../delivery/receiver.ts';
import type { SendGate } from '../delivery/send-gate.ts';
import type { MessageOpener } from '../shared/message-opener.ts';
import { type PlatformAccess, pollerSession } from '../shared/platform-access.ts';
import type { PollerCredentials, WebhookContext, WebhookSecrets } from '../shared/secrets.ts';
import { afterPause } from './daily-check.ts';
import type { CrcOutcome } from './handshakes.ts';
import { maxPerAccount, receiverOf, type WebhookRecords } from './records.ts';
import { lastErrorOf } from './views.ts';

export interface NewWebhook {
  /** Identifies this registration, so that a repeated request does not create a second webhook. */
  token: string;
  account: string;
  author: AuditAuthor;
  /** A URL that `checkUrl` has checked. */
  url: URL;
  /** The current end of the platform's activity. The webhook receives the events after this cursor. */
  cursor: string;
  events: WebhookEventType[] | null;
  secret: string | null;
  encryptionCode: string | null;
  credentials: PollerCredentials;
}

/** A caller's change of a webhook. A field that is `undefined` is not changed. */
export interface WebhookChange {
  url?: string | undefined;
  events?: WebhookEventType[] | null | undefined;
  credentials?: PollerCredentials | undefined;
  encryptionCode?: string | undefined;
  paused?: boolean | undefined;
}

export interface RegistrationParts extends WebhookContext, PlatformAccess {
  records: WebhookRecords;
  opener: MessageOpener;
  receivers: Receivers;
  gate: SendGate;
}

/** Creates and changes webhooks, and runs the handshakes that this requires. */
export class Registration {
  readonly #parts: RegistrationParts;

  constructor(parts: RegistrationParts) {
    this.#parts = parts;
  }

  /**
   * Registers a webhook and runs the CRC. Throws `bad_input`, `conflict` if the account has an equal webhook, or
   * `rate_limited` if it has 100 webhooks. The webhook is stored before its handshake, because refused calls are free
   * and must not make the service send requests.
   */
  async create(webhook: NewWebhook): Promise<CreatedWebhook> {
    const { store, records, vault, opener, gate } = this.#parts;
    const { account, token, url, cursor, credentials, encryptionCode: code } = webhook;
    const id = `wh_${createHash('sha256').update(token).digest().subarray(0, 12).toString('base64url')}`;
    // The webhook already exists if an earlier attempt of this request stored it and then failed.
    let made = await records.stored(store.webhooks.find(account, id));
    const compare = () => records.compare({ account, id }, receiverOf(url), credentials.authToken);
    if (code !== null) {
      // An equal webhook is refused before a guess of the code is used.
      if (!made) await compare();
      // A wrong code is refused at once. If a poller tried the code first, it would cost one more guess.
      await opener.check({ account, credentials, code });
    }
    const poller = { ...(await records.pollerOf(account, credentials)), cursor };
    if (!made) {
      const record = this.#make(id, poller.id, webhook);
      gate.admit(id);
      const entry = this.auditEntry(record, 'webhook.created', webhook.author, { events: namesOf(webhook.events) });
      const outcome = await records.locks.creations.run(account, async () => {
        for (;;) {
          const compared = await compare();
          const result = await records.stored(store.webhooks.create(record, poller, maxPerAccount, entry, compared));
          if (result !== 'changed') return result;
        }
      });
      made = record;
      if (outcome === 'too_many') {
        throw new PosternError(
          'webhook_limit',
          `An account may have at most ${maxPerAccount} webhooks. Delete one first`,
        );
      }
    }
    const isUnchecked = made.lastValidatedAt === null && made.lastError === null;
    if (isUnchecked) made = await records.rewriteChecked(account, id, null, this.#checked);
    // The platform has just accepted these credentials, so a poller that was stopped because of them continues.
    await records.stored(store.pollers.renew(poller));
    const { valid, createdAt } = made;
    const { secret: kept, codeRefused } = vault.open(made);
    // `renew` has cleared these errors of the poller.
    const lastError = lastErrorOf(made, { stopped: null, unreachable: null, codeRefused });
    return {
      id,
      url: vault.openUrl(made),
      valid,
      created_at: formatIsoTime(createdAt),
      secret: kept,
      last_error: lastError,
    };
  }

  #make(id: string, poller: string, { account, url, events, secret, encryptionCode }: NewWebhook): WebhookRecord {
    const { store, vault, runtime } = this.#parts;
    const secrets: WebhookSecrets = {
      secret: secret ?? runtime.randomBytes(24).toString('base64url'),
      proven: true,
      previous: null,
      encryptionCode,
    };
    return {
      id,
      account,
      poller,
      createdAt: store.now(),
      url: vault.sealUrl({ account, id }, url.href),
      events,
      sealed: vault.seal({ account, id }, secrets),
      hasEncryptionCode: encryptionCode !== null,
      valid: false,
      keptSince: null,
      lastValidatedAt: null,
      failingSince: null,
      lastDeliveryAt: null,
      undeliveredSince: null,
      undeliveredError: null,
      pausedAt: null,
      lastError: null,
      revision: 0,
    };
  }

  /** Returns the webhook with the result of a handshake that a caller requested. It is valid only if the handshake passed. */
  readonly #checked = async (record: WebhookRecord, crc: CrcOutcome): Promise<WebhookRecord> => {
    const now = this.#parts.store.now();
    const valid = crc.result === 'passed';
    return {
      ...record,
      valid,
      lastError: valid ? null : crc.reason,
      failingSince: null,
      ...(valid && { lastValidatedAt: now, keptSince: record.keptSince ?? now }),
    };
  };

  /** Returns the entry of the audit log for a change of a webhook. Its subject has the host only, because a URL may contain secrets. */
  auditEntry(
    webhook: WebhookRecord,
    action: AuditAction,
    by: AuditAuthor,
    details: AuditEntry['details'] = {},
  ): AuditEntry {
    const { account, id } = webhook;
    const host = decryptedOrNull(() => new URL(this.#parts.vault.openUrl(webhook)).host);
    const subject = { type: 'webhook' as const, id, name: host ?? id };
    return auditEntryOf(this.#parts.runtime, { account, action, by, subject, details });
  }

  /** Changes a webhook. If `checked` is true, also runs a CRC, whose result determines whether the webhook is valid. */
  async change(
    account: string,
    id: string,
    change: WebhookChange,
    checked: boolean,
    author: AuditAuthor,
  ): Promise<WebhookRecord> {
    const { store, records, vault, receivers, gate } = this.#parts;
    const url = change.url === undefined ? null : receivers.readUrl(change.url);
    const { credentials, encryptionCode: code } = change;
    // This call is refused before it makes the service send requests. The store refuses concurrent calls.
    if (url || credentials) await records.requireUnique(await records.find(account, id), url, credentials?.authToken);
    // Credentials that the platform refuses must not replace credentials that may still work.
    if (credentials) {
      await pollerSession(this.#parts, account, credentials).activity({ count: 1, cursor: null });
    }
    if (code !== undefined) await this.#checkCode(account, id, credentials, code);
    const poller = credentials && (await records.successor(account, id, credentials));
    const changed = async (record: WebhookRecord): Promise<WebhookRecord> => ({
      ...(change.paused === undefined ? record : afterPause(record, change.paused, store.now())),
      ...(url && { url: vault.sealUrl(record, url.href) }),
      ...(change.events !== undefined && { events: change.events }),
      ...(poller && { poller: poller.id }),
      ...(code !== undefined && { hasEncryptionCode: true }),
      sealed: vault.seal(
        record,
        renewed(vault.open(record), code, poller !== undefined && poller.id !== record.poller),
      ),
    });
    const checkedAndChanged = async (record: WebhookRecord, crc: CrcOutcome) => {
      const outcome = await this.#checked(await changed(record), crc);
      return records.proven(outcome, crc);
    };
    const entry = this.#entryOf(await records.find(account, id), change, url, author);
    const rewritten = checked
      ? await records.rewriteChecked(account, id, url, checkedAndChanged, poller, entry)
      : await records.rewrite(account, id, changed, poller, entry);
    // `update` has incremented the revision.
    if (url || change.paused) gate.retire(id, rewritten.revision + 1);
    // The poller is renewed last, so that it reports new errors of these credentials to the changed webhook.
    if (poller) await records.stored(store.pollers.renew(poller));
    return rewritten;
  }

  /** Returns the entry of the audit log for a change. Returns `undefined` if nothing changes, because only a CRC runs. */
  #entryOf(before: WebhookRecord, change: WebhookChange, url: URL | null, author: AuditAuthor): AuditEntry | undefined {
    const details = changedFields(change, url);
    if (change.paused !== undefined && change.paused !== (before.pausedAt !== null)) {
      return this.auditEntry(before, change.paused ? 'webhook.paused' : 'webhook.resumed', author, details);
    }
    if (Object.keys(details).length === 0) return undefined;
    return this.auditEntry(before, 'webhook.updated', author, details);
  }

  async #checkCode(account: string, id: string, given: PollerCredentials | undefined, code: string): Promise<void> {
    const { store, records, vault, opener } = this.#parts;
    const { poller } = await records.find(account, id);
    const kept = given ? null : await records.stored(store.pollers.find(account, poller));
    const credentials = given ?? (kept && vault.openPoller(kept));
    if (credentials) await opener.check({ account, credentials, code });
  }
}

/** Returns the changed fields for the audit log, without secrets. */
function changedFields({ events, credentials, encryptionCode }: WebhookChange, url: URL | null): AuditEntry['details'] {
  return {
    ...(url && { host: url.host }),
    ...(events !== undefined && { events: namesOf(events) }),
    ...(credentials && { auth_token: 'changed' }),
    ...(encryptionCode !== undefined && { encryption_code: 'changed' }),
  };
}

function namesOf(events: readonly WebhookEventType[] | null): string {
  return events?.join(',') ?? 'all';
}

/**
 * Returns the secrets after a change. A new code has not been refused yet. After a move to another poller no messages wait, because event
 * positions belong to one poller.
 */
function renewed(
  { codeRefused, messagesWait, ...secrets }: WebhookSecrets,
  code: string | undefined,
  moves: boolean,
): WebhookSecrets {
  return {
    ...secrets,
    ...(messagesWait && !moves && { messagesWait }),
    ...(code !== undefined ? { encryptionCode: code } : codeRefused !== undefined && { codeRefused }),
  };
}
