import { PosternError } from '../../shared/errors/postern-error.ts';
import type { EndpointGroup, KeyRestrictions } from '../../shared/model/key-restrictions.ts';
import type { Action } from '../action.ts';

/** Throws `forbidden` if an API key with these restrictions may not call the action. */
export function requirePermission(action: Action, restrictions: KeyRestrictions): void {
  const refusal = permissionRefusal(action, restrictions);
  if (refusal) throw refusal;
}

/** Returns the error if an API key with these restrictions may not call the action, otherwise `null`. */
export function permissionRefusal(
  action: Action,
  { groups, readOnly, connections }: KeyRestrictions,
): PosternError | null {
  const { name, effect } = action;
  const group = keyGroupOf(action);
  if (groups !== null && !groups.includes(group)) {
    return new PosternError(
      'key_group_not_allowed',
      `This API key may not call ${name}, because it is restricted to the groups ${groups.join(', ')}. Use a key with the group ${group}`,
    );
  }
  if (effect === 'read') return null;
  if (readOnly) {
    return new PosternError(
      'key_read_only',
      `This API key is read-only, so it may not call ${name}. Use a key without read_only`,
    );
  }
  if (connections && group === 'connections') return connectionNotAllowed(null);
  // Otherwise the key could create one without its restrictions, or revoke the keys of others.
  if (group === 'account') {
    return new PosternError(
      'key_restricted',
      `This API key has restrictions, so it may not call ${name}. Use a key without restrictions to manage keys and the account`,
    );
  }
  return null;
}

/** Returns the error for another connection or token, and for a change of connections. */
export function connectionNotAllowed(id: string | null): PosternError {
  const what = id === null ? 'may use only some connections' : `may not use the connection ${id}`;
  const remedy = 'GET /connections lists those of this key. Only a key without this restriction manages connections';
  const message = `This API key ${what}. ${remedy}`;
  return new PosternError('key_connection_not_allowed', message);
}

/** Returns the group that a restricted key needs for the action. */
export function keyGroupOf({ name, keyGroup }: Action): EndpointGroup {
  return keyGroup ?? (name.split('/')[0] as EndpointGroup);
}
