import { z } from 'zod';

/** The maximum number of different objects in one look-up. */
export const maxLookup = 100;

/** Why a look-up has no object. Platforms that do not say more report `not_found`. */
export const missingReason = z.enum(['not_found', 'deleted', 'suspended', 'protected', 'forbidden']).meta({
  description:
    'Why the object is missing: `not_found`, `deleted`, `suspended`, `protected`, or `forbidden` for any other refusal of the platform.',
});

export type MissingReason = z.infer<typeof missingReason>;

/** The meaning of each reason, for messages and descriptions. */
export const missingTexts: Readonly<Record<MissingReason, string>> = {
  not_found: 'There is no such object, or the platform does not say more',
  deleted: 'The object was deleted',
  suspended: 'User has been suspended',
  protected: 'The user is protected, and the actor does not follow the user',
  forbidden: 'The platform does not show this object to the actor',
};

/** Returns a schema for a list of ids or names. */
export function lookupList(item: z.ZodType<string>, description: string) {
  return z
    .array(item)
    .min(1, 'must not be empty')
    .refine((list) => new Set(list).size <= maxLookup, `must have at most ${maxLookup} different values`)
    .meta({ description });
}

/** Divides the result of a look-up. `nameOf` returns the part of a missing object that names it. */
export function divideFound<Item extends object, Key, Named>(
  keys: readonly Key[],
  found: readonly (Item | MissingReason)[],
  nameOf: (key: Key) => Named,
): { items: Item[]; missing: (Named & { reason: MissingReason })[] } {
  const missing = keys.flatMap((key, at) => {
    const reason = found[at];
    return typeof reason === 'string' ? [{ ...nameOf(key), reason }] : [];
  });
  return { items: found.filter((each) => typeof each !== 'string'), missing };
}
