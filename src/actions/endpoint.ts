import type { z } from 'zod';
import type { Action } from './action.ts';
import { innermost } from './input/input.ts';

/** What a client must know to send an action. */
export interface ActionEndpoint extends Pick<Action, 'method' | 'path' | 'effect'> {
  /** The call acts as a platform user, or stores the user's credentials. */
  actor?: 'acts' | 'stored';
  /** The call may need the encryption code. */
  code?: true;
  /** The fields that contain a file in base64. */
  bytes?: readonly string[];
  /** The field of a page that contains its items. */
  items?: string;
}

export function endpointOf(action: Action): ActionEndpoint {
  return {
    method: action.method,
    path: action.path,
    effect: action.effect,
    ...(action.actor ? { actor: 'acts' } : action.keepsActor && { actor: 'stored' }),
    ...(action.code !== 'none' && { code: true }),
    ...(action.takesBase64 && { bytes: namesOf(action.input, isCustom) }),
    ...(action.paged !== false && { items: itemsField(action) }),
  };
}

function itemsField({ name, output }: Action): string {
  const lists = namesOf(output as z.ZodObject, ({ _zod: { def } }) => def.type === 'array');
  const [items, second] = lists;
  if (items === undefined || second !== undefined) throw new Error(`a page of ${name} must have one list`);
  return items;
}

function namesOf({ shape }: z.ZodObject, accepts: (field: z.core.$ZodType) => boolean): string[] {
  return Object.entries(shape).flatMap(([name, field]) => (accepts(field) ? [name] : []));
}

/** Files have a custom schema, because GraphQL passes uploaded files instead of text. */
function isCustom(field: z.core.$ZodType): boolean {
  return innermost(field)._zod.def.type === 'custom';
}
