import { z } from 'zod';
import { InvalidResponseError } from '../http/errors.ts';

/** The operations on a DID, oldest first: https://web.plc.directory/spec/v0.1/did-plc */
const auditLog = z
  .array(
    z.object({
      createdAt: z.iso.datetime({ offset: true }),
      nullified: z.boolean(),
      operation: z.object({
        alsoKnownAs: z.array(z.string()).optional(),
        /** The handle in the oldest form of an operation. */
        handle: z.string().optional(),
      }),
    }),
  )
  .min(1);

/** The history of an identity. */
export interface IdentityHistory {
  createdAt: Date;
  handleChanges: number;
  /** `null` if the handle was never changed. */
  handleChangedAt: Date | null;
}

/** Reads the response of the PLC directory. Throws `InvalidResponseError`. */
export function readAuditLog(json: unknown): IdentityHistory {
  const read = auditLog.safeParse(json);
  const [first, ...later] = read.success ? read.data.filter(({ nullified }) => !nullified) : [];
  if (!first) throw new InvalidResponseError('the audit log is not one of a DID');
  const history: IdentityHistory = { createdAt: new Date(first.createdAt), handleChanges: 0, handleChangedAt: null };
  let handle = handleOf(first.operation);
  for (const { operation, createdAt } of later) {
    const next = handleOf(operation);
    if (next === undefined || next === handle) continue;
    if (handle !== undefined) {
      history.handleChanges += 1;
      history.handleChangedAt = new Date(createdAt);
    }
    handle = next;
  }
  return history;
}

function handleOf({ alsoKnownAs = [], handle }: { alsoKnownAs?: string[] | undefined; handle?: string | undefined }) {
  return handle ?? alsoKnownAs.find((name) => name.startsWith('at://'))?.slice('at://'.length);
}
