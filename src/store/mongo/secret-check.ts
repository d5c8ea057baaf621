import type { SecretCheckStore } from '../port.ts';
import type { Collections } from './collections.ts';
import { isDuplicate } from './errors.ts';
import type { Parts } from './parts.ts';

const _id = 'secret_check';

export function mongoSecretCheck({ link, collections }: Parts): SecretCheckStore {
  const { meta, webhooks, pollers, events, idempotency, platformState, connections } = collections;
  const read = async () => (await meta.findOne({ _id }))?.value ?? null;
  return {
    read: () => link.run(read),

    write: (value, previous) =>
      link.run(async () => {
        try {
          if (previous === null) await meta.insertOne({ _id, v: 1, value });
          else await meta.updateOne({ _id, value: previous }, { $set: { value } });
        } catch (error) {
          if (!isDuplicate(error)) throw error;
        }
        return (await read()) ?? '';
      }),

    discardSealed: () => link.run(() => discardSealed(collections), 0),

    samples: () =>
      link.run(async () => {
        const kept = await Promise.all([
          webhooks
            .find({}, { projection: { sealed: 1 } })
            .sort({ createdAt: -1 })
            .limit(2)
            .toArray(),
          pollers
            .find({}, { projection: { sealed: 1 } })
            .sort({ createdAt: -1 })
            .limit(2)
            .toArray(),
          events
            .find({}, { projection: { sealed: 1 } })
            .sort({ expiresAt: -1 })
            .limit(2)
            .toArray(),
          platformState
            .find({}, { projection: { sealed: 1 } })
            .sort({ expiresAt: -1 })
            .limit(2)
            .toArray(),
        ]);
        const answers = await idempotency
          .find({ answer: { $gt: '' } })
          .sort({ expiresAt: -1 })
          .limit(2)
          .toArray();
        const signedIn = await connections
          .find({ $or: [{ login: { $ne: null } }, { signIn: { $ne: null } }] })
          .sort({ createdAt: -1 })
          .limit(2)
          .toArray();
        return [
          ...kept.flat().map(({ sealed }) => sealed),
          ...answers.flatMap(({ answer }) => answer ?? []),
          ...signedIn.flatMap(({ login, signIn }) => login ?? signIn ?? []),
        ];
      }),
  };
}

export async function discardSealed(collections: Collections): Promise<void> {
  await collections.deliveries.deleteMany({});
  await collections.events.deleteMany({});
  await collections.webhooks.deleteMany({});
  await collections.pollers.deleteMany({});
  await collections.idempotency.deleteMany({});
  await collections.keptResponses.deleteMany({});
  await collections.platformState.deleteMany({});
  await collections.connections.deleteMany({});
  await collections.accountEvents.deleteMany({});
  await collections.meta.deleteOne({ _id });
}
