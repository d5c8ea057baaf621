import type { RealmRecord } from '../../messaging/encryption/recovery/enroll.ts';
import { type Fields, requiredString } from '../fields.ts';
import type { ActorCall, ActorOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { json } from '../http/response.ts';
import type { Realm } from '../realms/realm.ts';
import { badRequest, notFound } from '../refusal.ts';

/**
 * The first step of key recovery: returns whether the actor has a record at this realm, and its version. It costs no
 * guess.
 */
export const realmState: ActorOperation = {
  id: 'realmState',
  method: 'GET',
  path: '/sandbox/realms/{realm}/record',
  access: 'actor',
  async handle(call) {
    const { actor, platform } = call;
    const realm = realmOf(call);
    await platform.realms.ensureEnrolled(actor, Number(call.params['realm']));
    const state = realm.state(actor.id, platform.now());
    const version = state.kind === 'enrolled' ? state.version : null;
    return json({ state: state.kind, account_id: actor.id, version });
  },
};

export const registerAtRealm: ActorOperation = {
  id: 'registerAtRealm',
  method: 'PUT',
  path: '/sandbox/realms/{realm}/record',
  access: 'actor',
  handle(call) {
    const { actor, body } = call;
    const replaces = body['replaces'] === undefined || body['replaces'] === null ? null : versionOf(body, 'replaces');
    if (!realmOf(call).register(actor.id, readRecord(body), replaces)) {
      throw new Problem(409, 'has_chat_keys', 'The realm has another record of that account');
    }
    return json({ registered: true });
  },
};

/** The second step of key recovery: evaluates a blinded guess of the encryption code. */
export const guessAtRealm: ActorOperation = {
  id: 'guessAtRealm',
  method: 'POST',
  path: '/sandbox/realms/{realm}/guesses',
  access: 'actor',
  handle(call) {
    const { actor, body, platform } = call;
    const blinded = bytes(body, 'blinded_element', 32, 32);
    const answer = realmOf(call).evaluate(actor.id, versionOf(body), blinded, platform.now());
    if (answer.kind !== 'evaluated') return json({ outcome: answer.kind });
    return json({
      outcome: 'evaluated',
      evaluated_element: base64(answer.element),
      commitment: base64(answer.commitment),
      guesses_remaining: answer.remaining,
    });
  },
};

/** The third step of key recovery: returns the encrypted share and keys if the unlock tag is correct. */
export const unlockAtRealm: ActorOperation = {
  id: 'unlockAtRealm',
  method: 'POST',
  path: '/sandbox/realms/{realm}/unlock',
  access: 'actor',
  handle(call) {
    const { actor, body } = call;
    const answer = realmOf(call).unlock(actor.id, versionOf(body), bytes(body, 'unlock_tag', 32, 32));
    if (answer.kind !== 'unlocked') return json({ outcome: answer.kind });
    const { sealedShare, sealedKeys } = answer.record;
    return json({ outcome: 'unlocked', sealed_share: base64(sealedShare), sealed_keys: base64(sealedKeys) });
  },
};

function realmOf({ platform, params }: ActorCall): Realm {
  const place = params['realm'] ?? '';
  const realm = /^[1-9]$/.test(place) ? platform.realms.get(Number(place)) : undefined;
  if (realm === undefined) throw notFound('realm', place);
  return realm;
}

function readRecord(body: Fields): RealmRecord {
  return {
    version: versionOf(body),
    oprfKeyShare: bytes(body, 'oprf_key_share', 32, 32),
    commitment: bytes(body, 'commitment', 32, 32),
    unlockTag: bytes(body, 'unlock_tag', 32, 32),
    sealedShare: bytes(body, 'sealed_share', 1, 256),
    sealedKeys: bytes(body, 'sealed_keys', 1, 1024),
  };
}

function versionOf(body: Fields, field = 'version'): string {
  const version = requiredString(body, field);
  if (!/^[0-9a-f]{32}$/.test(version)) throw badRequest(field, `${field} must be 32 hex digits`);
  return version;
}

function bytes(body: Fields, name: string, least: number, most: number): Buffer {
  const text = requiredString(body, name);
  const value = /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
  if (value.length < least || value.length > most) {
    throw badRequest(name, `${name} must be base64 of ${least === most ? least : `${least} to ${most}`} bytes`);
  }
  return value;
}

function base64(value: Uint8Array): string {
  return Buffer.from(value).toString('base64');
}
