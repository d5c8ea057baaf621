import type { PublicKeys } from '../chat/chats.ts';
import { publicKeysOf } from '../chat/public-keys.ts';
import { compareIds } from '../dataset/snowflake.ts';
import type { User } from '../dataset/types.ts';
import { type Fields, optionalBoolean, requiredString } from '../fields.ts';
import type { XOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { checkValue, dataOf, idPattern, pick, valuesOf } from './request.ts';
import { checkOwn, objectIn, userOperation, type WriteCall } from './write.ts';

const path = '/2/users/{id}/public_keys';
const fields = 'public_key.fields';
const known = [
  'identity_public_key_signature',
  'juicebox_config',
  'public_key',
  'public_key_version',
  'signing_public_key',
];
const names = [
  'public_key',
  'signing_public_key',
  'identity_public_key_signature',
  'signing_public_key_signature',
  'public_key_fingerprint',
  'registration_method',
];

/** The public keys of chat, oldest first. Their owner also gets the addresses and the tokens of the key backup. */
export const publicKeyOperations: readonly XOperation[] = [
  userOperation('getUsersPublicKeys', 'GET', '/2/users/public_keys', {
    query: ['ids', fields],
    run: (call) => dataOf(valuesOf(call, 'ids', idPattern).flatMap((id) => keysJson(call, id))),
  }),
  userOperation('getUsersPublicKey', 'GET', path, {
    query: [fields],
    run: (call) => dataOf(keysJson(call, call.subject)),
  }),
  userOperation('addUserPublicKey', 'POST', path, {
    names: ['public_key', 'version', 'generate_version'],
    run(call) {
      checkOwn(call);
      const { state, actor, body } = call;
      const wanted = checkValue('version', requiredString(body, 'version'), /^\d{1,19}$/);
      const given = readKeys(objectIn(body, 'public_key', names) ?? {});
      const before = publicKeysOf(state, actor);
      const same = before.find(({ identity, signing }) => identity === given.identity && signing === given.signing);
      const isGenerated = optionalBoolean(body, 'generate_version') === true;
      if (same === undefined && before.length > 0 && !isGenerated)
        throw new Problem(409, 'has_chat_keys', 'This account already has chat keys');
      const version = same?.version ?? (isGenerated ? newVersion(before, state.now()) : wanted);
      if (same === undefined) {
        const keys = { version, ...given };
        state.commit({ kind: 'chat_public_keys', user: actor.id, at: state.now(), keys });
      }
      return { data: { public_key_version: version, juicebox_config: configFor(call, actor) } };
    },
  }),
];

function keysJson(call: WriteCall, userId: string): object[] {
  const { state, query, extended, actor } = call;
  const user = state.dataset.users.get(userId);
  if (user === undefined) return [];
  return publicKeysOf(state, user).map((keys) => {
    const form = {
      identity_public_key_signature: keys.identitySignature,
      ...(user === actor && { juicebox_config: configFor(call, user) }),
      public_key: keys.identity,
      public_key_version: keys.version,
      signing_public_key: keys.signing,
    };
    const more = extended && { user_id: userId, signing_public_key_signature: keys.signingSignature };
    return { ...pick(form, query, fields, known), ...more };
  });
}

function configFor({ state }: WriteCall, user: User) {
  return state.realms.configFor(user, state.dataset.origin, state.now());
}

function readKeys(given: Fields): Omit<PublicKeys, 'version'> {
  const key = (name: string) => checkValue(name, requiredString(given, name), /^[A-Za-z0-9+/]{20,200}={0,2}$/);
  return {
    identity: key('public_key'),
    signing: key('signing_public_key'),
    identitySignature: key('identity_public_key_signature'),
    signingSignature: key('signing_public_key_signature'),
  };
}

/** Returns a version above all known ones. */
function newVersion(before: readonly PublicKeys[], now: number): string {
  const last = before.at(-1)?.version ?? '0';
  return compareIds(String(now), last) > 0 ? String(now) : String(BigInt(last) + 1n);
}
