import type { Collection, Filter } from 'mongodb';
import type { DeliveryDocument, EventDocument } from './webhook-documents.ts';

/** The number of documents in one operation on many documents. Such an operation then ends long before the time limits of the store. */
export const batchSize = 200;

/** Deletes the documents in batches and returns their number. */
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
