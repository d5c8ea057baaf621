import type { Collection, Filter } from 'mongodb';
import type { DeliveryDocument, EventDocument } from './webhook-documents.ts';

/** Few enough that each step stays far from every time limit. */
const batchSize = 200;

/** Answers how many it deleted. */
export async function deleteInBatches<T extends EventDocument | DeliveryDocument>(
  collection: Collection<T>,
  filter: Filter<T>,
): Promise<number> {
  for (let deleted = 0; ; ) {
    const found = await collection.find(filter, { projection: { _id: 1 }, limit: batchSize }).toArray();
    const _id = { $in: found.map(({ _id }) => _id) };
    if (found.length > 0) deleted += (await collection.deleteMany({ ...filter, _id } as Filter<T>)).deletedCount;
    if (found.length < batchSize) return deleted;
  }
}
