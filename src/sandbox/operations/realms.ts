import type { RealmRecord } from '../../messaging/encryption/recovery/enroll.ts';
import { type Fields, requiredString } from '../fields.ts';
import { closedObject, jsonBody, jsonResponse, ref } from '../http/contract.ts';
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
  contract: {
    summary:
      'The first step of a recovery. Returns whether the actor is enrolled at this realm, and the version. It costs no guess. `locked`: all guesses are used up.',
    responses: {
      200: jsonResponse(
        'The state of the enrolment.',
        closedObject({
          state: { enum: ['enrolled', 'none', 'locked'] },
          account_id: ref('Id'),
          version: {
            type: ['string', 'null'],
            pattern: '^[0-9a-f]{32}$',
            description: 'The version of the enrolment, the same at all realms.',
          },
        }),
      ),
    },
  },
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
  contract: {
    summary:
      'Stores a record for the actor, with no guess counted. It is accepted if the realm has no record, a destroyed one, or the one that `replaces` names. Repeating it changes nothing. If the realm has another record: 409 `has_chat_keys`.',
    body: jsonBody({
      type: 'object',
      required: ['version', 'oprf_key_share', 'commitment', 'unlock_tag', 'sealed_share', 'sealed_keys'],
      properties: {
        version: ref('RecordVersion'),
        replaces: {
          ...ref('RecordVersion'),
          description: 'The version of the record to replace. Omit it if there is none.',
        },
        oprf_key_share: { ...ref('Base64'), description: 'A scalar: 32 bytes.' },
        commitment: { ...ref('Base64'), description: '32 bytes derived from the evaluation of the correct PIN.' },
        unlock_tag: { ...ref('Base64'), description: '32 bytes, different for each realm.' },
        sealed_share: { ...ref('Base64'), description: 'At most 256 bytes.' },
        sealed_keys: { ...ref('Base64'), description: 'At most 1,024 bytes.' },
      },
    }),
    responses: { 200: jsonResponse('The record is on disk.', closedObject({ registered: { const: true } })) },
  },
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
  contract: {
    summary:
      "The second step: counts a guess, and evaluates a blinded element with the realm's share of the key. The count is on disk before the response. Twenty guesses are allowed, and one more destroys the share.",
    body: jsonBody({
      type: 'object',
      required: ['version', 'blinded_element'],
      properties: {
        version: ref('RecordVersion'),
        blinded_element: {
          ...ref('Base64'),
          description: 'An element of ristretto255 other than its identity: 32 bytes.',
        },
      },
    }),
    responses: {
      200: jsonResponse(
        'The evaluation, or the reason why there is none: `locked` (no guesses remain), `stale` (the realm has no record of that version).',
        ref('RealmEvaluation'),
      ),
    },
  },
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
  contract: {
    summary:
      "The third step: the correct tag resets the count of guesses and returns the realm's sealed share and the sealed keys. A wrong tag destroys the share if no guess remains.",
    body: jsonBody({
      type: 'object',
      required: ['version', 'unlock_tag'],
      properties: {
        version: ref('RecordVersion'),
        unlock_tag: { ...ref('Base64'), description: 'HMAC-SHA256 of `realm <n>` under the unlock key: 32 bytes.' },
      },
    }),
    responses: {
      200: jsonResponse(
        'The sealed share and keys, or the reason why there are none: `refused` (a wrong tag), `locked`, `stale`.',
        ref('RealmUnlocked'),
      ),
    },
  },
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
