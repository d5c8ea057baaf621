import { createHash } from 'node:crypto';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { EventType } from '../../shared/model/event.ts';
import { formatIsoTime } from '../../shared/model/time.ts';
import type { CreatedWebhook } from '../../shared/model/webhook.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Store, WebhookRecord } from '../../store/port.ts';
import type { Receivers } from '../delivery/receiver.ts';
import type { SendGate } from '../delivery/send-gate.ts';
import type { MessageOpener } from '../shared/message-opener.ts';
import { type PlatformAccess, pollerSession } from '../shared/platform-access.ts';
import type { PollerCredentials, WebhookSecrets, WebhookVault } from '../shared/secrets.ts';
import type { CrcOutcome } from './crc.ts';
import type { WebhookRecords } from './records.ts';
import { lastErrorOf } from './views.ts';

/** The limit of an API account (docs/webhooks.md, Registration). */
export const maxPerAccount = 100;

export interface NewWebhook {
  /** Identifies this registration, so that a repeated one creates no second webhook. */
  token: string;
  account: string;
  /** Checked by `checkUrl`. */
  url: URL;
  /** The current end of the platform's activity. Events after it are delivered. */
  cursor: string;
  events: EventType[] | null;
  secret: string | null;
  encryptionCode: string | null;
  credentials: PollerCredentials;
}

/** A caller's change of a webhook. `undefined` leaves a value as it is. */
export interface WebhookChange {
  url?: string | undefined;
  events?: EventType[] | null | undefined;
  credentials?: PollerCredentials | undefined;
  encryptionCode?: string | undefined;
}

export interface RegistrationParts extends PlatformAccess {
  store: Store;
  records: WebhookRecords;
  vault: WebhookVault;
  opener: MessageOpener;
  receivers: Receivers;
  runtime: Runtime;
  gate: SendGate;
}

/** Creates and changes webhooks, and runs the handshakes for it. */
export class Registration {
  readonly #parts: RegistrationParts;

  constructor(parts: RegistrationParts) {
    this.#parts = parts;
  }

  /**
   * Registers a webhook and runs the CRC. Throws `bad_input`, or `rate_limited` if the account has 100 webhooks. The webhook is
   * stored before its handshake, so that a call over the limit, which is free, sends nothing.
   */
  async create(wish: NewWebhook): Promise<CreatedWebhook> {
    const { store, records, vault, opener, gate } = this.#parts;
    const { account, token, cursor, credentials, encryptionCode: code } = wish;
    // A wrong code is refused at once, which costs one guess less than if a poller tried it.
    if (code !== null) await opener.check({ account, credentials, code });
    const id = `wh_${createHash('sha256').update(token).digest().subarray(0, 12).toString('base64url')}`;
    const poller = { ...(await records.pollerOf(account, credentials)), cursor };
    // The webhook exists if an earlier attempt of this request stored it and then failed.
    let made = await records.stored(store.webhooks.find(account, id));
    if (!made) {
      made = this.#make(id, poller.id, wish);
      gate.admit(id);
      if ((await records.stored(store.webhooks.create(made, poller, maxPerAccount))) === 'too_many') {
        throw new PosternError('webhook_limit', `An account may have ${maxPerAccount} webhooks: delete one first`);
      }
    }
    const isUnchecked = made.lastValidatedAt === null && made.lastError === null;
    if (isUnchecked) made = await records.rewriteChecked(account, id, null, this.#checked);
    // The platform has just accepted these credentials, so a poller that it had stopped continues.
    await records.stored(store.pollers.renew(poller));
    const { valid, createdAt } = made;
    const { secret: kept, codeRefused } = vault.open(made);
    // `renew` has cleared these faults of the poller.
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
      ...{ id, account, poller, createdAt: store.now(), url: vault.sealUrl({ account, id }, url.href), events },
      sealed: vault.seal({ account, id }, secrets),
      hasEncryptionCode: encryptionCode !== null,
      ...{ valid: false, keptSince: null, lastValidatedAt: null, failingSince: null, lastDeliveryAt: null },
      ...{ lastError: null, revision: 0 },
    };
  }

  /** Returns the webhook as it is after a handshake that a caller requested: valid only if the handshake passed. */
  readonly #checked = async (record: WebhookRecord, crc: CrcOutcome): Promise<WebhookRecord> => {
    const now = this.#parts.store.now();
    const valid = crc.result === 'passed';
    return {
      ...{ ...record, valid, lastError: valid ? null : crc.reason, failingSince: null },
      ...(valid && { lastValidatedAt: now, keptSince: record.keptSince ?? now }),
    };
  };

  /** Changes a webhook. `checked`: also runs a CRC, whose result decides whether the webhook is valid. */
  async change(account: string, id: string, change: WebhookChange, checked: boolean): Promise<WebhookRecord> {
    const { store, records, vault, receivers, gate } = this.#parts;
    const url = change.url === undefined ? null : receivers.readUrl(change.url);
    const { credentials, encryptionCode: code } = change;
    // Credentials that the platform refuses must not replace others that it may still accept.
    if (credentials) {
      await records.find(account, id);
      await pollerSession(this.#parts, account, credentials).activity({ count: 1, cursor: null });
    }
    if (code !== undefined) await this.#checkCode(account, id, credentials, code);
    const poller = credentials && (await records.successor(account, id, credentials));
    const changed = async (record: WebhookRecord): Promise<WebhookRecord> => ({
      ...record,
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
    const rewritten = checked
      ? await records.rewriteChecked(account, id, url, checkedAndChanged, poller)
      : await records.rewrite(account, id, changed, poller);
    // `update` has raised the revision by one.
    if (url) gate.retire(id, rewritten.revision + 1);
    // Last, so that the poller reports new faults of these credentials to the changed webhook.
    if (poller) await records.stored(store.pollers.renew(poller));
    return rewritten;
  }

  async #checkCode(account: string, id: string, given: PollerCredentials | undefined, code: string): Promise<void> {
    const { store, records, vault, opener } = this.#parts;
    const { poller } = await records.find(account, id);
    const kept = given ? null : await records.stored(store.pollers.find(account, poller));
    const credentials = given ?? (kept && vault.openPoller(kept));
    if (credentials) await opener.check({ account, credentials, code });
  }
}

/**
 * Returns the secrets after a change. A new code has not been refused. After a move to another poller no messages wait,
 * because places belong to one poller.
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
