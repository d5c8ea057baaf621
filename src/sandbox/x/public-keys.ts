import type { PublicKeys } from '../chat/chats.ts';
import { publicKeysOf } from '../chat/public-keys.ts';
import { compareIds } from '../dataset/snowflake.ts';
import { activeUser } from '../dataset/visibility.ts';
import { type Fields, optionalString, requiredString } from '../fields.ts';
import type { XOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { badRequest } from '../refusal.ts';
import { checkOwn, objectIn, userOperation, type WriteCall } from './write.ts';

const path = '/2/users/{id}/public_keys';
const names = [
  'public_key',
  'signing_public_key',
  'identity_public_key_signature',
  'signing_public_key_signature',
  'public_key_fingerprint',
  'registration_method',
] as const;

/** The public keys of chat. Their owner also gets the addresses and the tokens of the key backup. */
export const publicKeyOperations: readonly XOperation[] = [
  userOperation({
    id: 'getUsersPublicKey',
    method: 'GET',
    path,
    query: ['public_key.fields'],
    run(call) {
      const { state, subject, actor } = call;
      const keys = publicKeysOf(state, activeUser(state.dataset.users.get(subject), subject));
      return { data: keys.map((each) => ({ ...form(each), ...(subject === actor.id && backup(call)) })) };
    },
  }),
  userOperation({
    id: 'addUserPublicKey',
    method: 'POST',
    path,
    names: ['public_key', 'version', 'generate_version'],
    run(call) {
      checkOwn(call);
      const { state, actor, body } = call;
      requiredString(body, 'version');
      const given = readKeys(objectIn(body, 'public_key', names) ?? {});
      const known = publicKeysOf(state, actor);
      const same = known.find(({ identity, signing }) => identity === given.identity && signing === given.signing);
      if (same === undefined && known.length > 0 && body['generate_version'] !== true)
        throw new Problem(409, 'has_chat_keys', 'This account already has chat keys');
      const version = same?.version ?? newVersion(known, state.now());
      if (same === undefined) {
        const keys = { version, ...given };
        state.commit({ kind: 'chat_public_keys', user: actor.id, at: state.now(), keys });
      }
      return { data: { public_key_version: version, ...backup(call) } };
    },
  }),
];

function backup({ state, actor }: WriteCall) {
  return { juicebox_config: state.realms.configFor(actor, state.dataset.origin, state.now()) };
}

function form(keys: PublicKeys) {
  return {
    public_key_version: keys.version,
    public_key: keys.identity,
    signing_public_key: keys.signing,
    identity_public_key_signature: keys.identitySignature,
  };
}

function readKeys(fields: Fields): Omit<PublicKeys, 'version'> {
  return {
    identity: base64(fields, 'public_key'),
    signing: base64(fields, 'signing_public_key'),
    identitySignature: base64(fields, 'identity_public_key_signature'),
    signingSignature: base64(fields, 'signing_public_key_signature'),
  };
}

/** Returns a version above all known ones. */
function newVersion(known: readonly PublicKeys[], now: number): string {
  const last = known.at(-1)?.version ?? '0';
  return compareIds(String(now), last) > 0 ? String(now) : String(BigInt(last) + 1n);
}

function base64(fields: Fields, field: string): string {
  const text = optionalString(fields, field) ?? '';
  if (/^[A-Za-z0-9+/]{20,200}={0,2}$/.test(text)) return text;
  throw badRequest(field, `${field} must be base64 with the length of a key`);
}
