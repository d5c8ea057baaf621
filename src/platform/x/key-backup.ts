import { createHash } from 'node:crypto';
import type { RegisteredChatKeys } from '../../shared/model/sealed-event.ts';
import { list, object, text, type Wire } from '../http/wire.ts';
import { readBackupConfig } from '../juicebox/config.ts';
import type { KeyBackup, NewChatKeys, PlatformKeyBackup } from '../key-backup-port.ts';
import type { PlatformCall } from '../port.ts';
import { operations, writes } from './operations.ts';
import { SessionPart, type SessionParts } from './session-parts.ts';

const fields = { 'public_key.fields': 'juicebox_config,public_key,signing_public_key' };
/** The maximum number of versions of an account's keys. */
const maxVersions = 1_000;

/** X's key backup: a user's own public keys come with the addresses and access tokens of Juicebox's realms. */
export class XKeyBackup extends SessionPart implements PlatformKeyBackup {
  constructor(parts: SessionParts, call: PlatformCall) {
    // The signal is dropped, because several callers may wait for the same recovery, and an aborted guess would still be counted.
    super(parts, { ...call, signal: null });
  }

  accountId(): Promise<string> {
    return this.parts.identifiers.actorId(this.call);
  }

  async open(): Promise<KeyBackup> {
    const request = {
      operation: operations.getUsersPublicKey,
      ids: [await this.accountId()],
      query: fields,
      mayBeEmpty: true,
    };
    return this.get(request, ({ data }) => {
      const rows = list(data ?? [], 'data', maxVersions).map((row) => object(row, 'data[]'));
      return this.#backup(rows.map(readKeys), rows.findLast((row) => row.juicebox_config)?.juicebox_config);
    });
  }

  async publish(keys: NewChatKeys, isReplacing: boolean): Promise<KeyBackup> {
    const version = String(this.parts.runtime.now());
    const request = {
      operation: writes.addUserPublicKey,
      ids: [await this.accountId()],
      body: { public_key: bodyOf(keys), version, generate_version: isReplacing },
    };
    return this.write(request, (data) => this.#backup([keys], data.juicebox_config));
  }

  #backup(published: KeyBackup['published'], config: unknown): KeyBackup {
    const { juicebox } = this.parts;
    if (config === undefined && published.length === 0) return { published, ...nothing };
    return { published, ...juicebox.backup(readBackupConfig(config, juicebox.rules), this.call) };
  }
}

/** The backup of an account that has never published keys. */
const nothing: Omit<KeyBackup, 'published'> = {
  recover: async () => ({ kind: 'not_registered' }),
  register: () => Promise.reject(new Error('publish the public keys first')),
  settled: () => Promise.resolve(),
};

function readKeys(row: Wire): Pick<RegisteredChatKeys, 'publicKey' | 'signingPublicKey'> {
  return {
    publicKey: text(row.public_key, 'public_key'),
    signingPublicKey: text(row.signing_public_key, 'signing_public_key'),
  };
}

function bodyOf(keys: NewChatKeys) {
  return {
    public_key: keys.publicKey,
    signing_public_key: keys.signingPublicKey,
    identity_public_key_signature: keys.identityPublicKeySignature,
    signing_public_key_signature: keys.signingPublicKeySignature,
    public_key_fingerprint: createHash('sha256').update(keys.publicKey, 'base64').digest('base64url'),
    registration_method: 'CustomPin',
  };
}
