import type { PlatformStateStore } from '../port.ts';
import { isDuplicate } from './errors.ts';
import type { Parts } from './parts.ts';

export function mongoPlatformState({ link, collections: { platformState }, clock }: Parts): PlatformStateStore {
  const readAt = async (key: string, now: number) =>
    (await platformState.findOne({ _id: key, expiresAt: { $gt: new Date(now) } }))?.sealed ?? null;
  return {
    read: (key) => link.run(async () => readAt(key, await clock.recent())),

    write: (key, sealed, previous, ttlMs) =>
      link.run(async () => {
        const now = await clock.recent();
        const expiresAt = new Date(now + ttlMs);
        // An expired record counts as absent, because MongoDB deletes it only later.
        const replaced =
          previous === null
            ? { expiresAt: { $lte: new Date(now) } }
            : { sealed: previous, expiresAt: { $gt: new Date(now) } };
        try {
          await platformState.updateOne(
            { _id: key, ...replaced },
            { $set: { v: 1, sealed, expiresAt } },
            { upsert: previous === null },
          );
        } catch (error) {
          if (!isDuplicate(error)) throw error;
        }
        return (await readAt(key, now)) ?? '';
      }),
  };
}
