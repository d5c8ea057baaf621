import type { PublicKeys } from '../../chat/chats.ts';
import { hasKeys, publicKeysOf } from '../../chat/public-keys.ts';
import { compareIds } from '../../dataset/snowflake.ts';
import type { User } from '../../dataset/types.ts';
import { type Fields, requiredString } from '../../fields.ts';
import type { ActorOperation } from '../../http/operation.ts';
import { Problem } from '../../http/problem.ts';
import { json } from '../../http/response.ts';
import type { SandboxState } from '../../platform.ts';
import { badRequest } from '../../refusal.ts';

const MAX_USERS = 200;

/**
 * Returns the public chat keys of any users, including users who cannot be messaged and deleted users, because their
 * messages still exist.
 */
export const chatPublicKeys: ActorOperation = {
  id: 'chatPublicKeys',
  method: 'GET',
  path: '/sandbox/chat/public-keys',
  access: 'actor',
  handle({ platform, query }) {
    const ids = (query.get('user_ids') ?? '').split(',');
    if (ids.length > MAX_USERS) throw badRequest('user_ids', `user_ids must have at most ${MAX_USERS} ids`);
    const users = ids.flatMap((id) => platform.dataset.users.get(id) ?? []);
    return json({ users: users.map((user) => keysForm(platform, user)) });
  },
};

/**
 * Registers chat keys for an account that has none. The platform assigns the version and does not verify the
 * signatures, because clients verify them when they use the keys.
 */
export const registerChatKeys: ActorOperation = {
  id: 'registerChatKeys',
  method: 'POST',
  path: '/sandbox/chat/public-keys',
  access: 'actor',
  handle(call) {
    const { platform, actor, body } = call;
    const given = {
      identity: base64(body, 'identity_public_key'),
      signing: base64(body, 'signing_public_key'),
      identitySignature: base64(body, 'identity_signature'),
      signingSignature: base64(body, 'signing_signature'),
    };
    if (hasKeys(platform.dataset, actor)) {
      const known = publicKeysOf(platform, actor).at(-1);
      if (known?.identity === given.identity && known.signing === given.signing) return json(keysForm(platform, actor));
      throw new Problem(409, 'has_chat_keys', 'This account already has chat keys');
    }
    const version = newVersion(publicKeysOf(platform, actor), platform.now());
    platform.commit({ kind: 'chat_public_keys', user: actor.id, at: platform.now(), keys: { version, ...given } });
    return json(keysForm(platform, actor), 201);
  },
};

function keysForm(platform: SandboxState, user: User) {
  const keys = publicKeysOf(platform, user).map((each) => ({
    version: each.version,
    identity_public_key: each.identity,
    signing_public_key: each.signing,
    identity_signature: each.identitySignature,
    signing_signature: each.signingSignature,
  }));
  return { user_id: user.id, keys };
}

function newVersion(known: readonly PublicKeys[], now: number): string {
  const last = known.at(-1)?.version ?? '0';
  return compareIds(String(now), last) > 0 ? String(now) : String(BigInt(last) + 1n);
}

function base64(body: Fields, field: string): string {
  const text = requiredString(body, field);
  if (!/^[A-Za-z0-9+/]{20,200}={0,2}$/.test(text))
    throw badRequest(field, `${field} must be base64 with the length of a key`);
  return text;
}
