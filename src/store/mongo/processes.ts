import { type ProcessStore, processTtlMs } from '../port.ts';
import { live, type Parts } from './parts.ts';

export function mongoProcesses({ link, collections: { processes }, clock }: Parts): ProcessStore {
  return {
    beat: (id) =>
      link.run(async () => {
        const now = await clock.recent();
        const expiresAt = new Date(now + processTtlMs);
        await processes.updateOne({ _id: id }, { $set: { v: 1, expiresAt } }, { upsert: true });
        return processes.countDocuments({ expiresAt: live(now, processTtlMs) });
      }),

    leave: (id) =>
      link.run(async () => {
        await processes.deleteOne({ _id: id });
      }),
  };
}
