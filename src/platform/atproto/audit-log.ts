import { z } from 'zod';
import { InvalidResponseError } from '../http/errors.ts';

/** An operation on a DID. The log has the oldest first: https://web.plc.directory/spec/v0.1/did-plc */
const entrySchema = z.object({
  createdAt: z.iso.datetime({ offset: true }),
  nullified: z.boolean(),
  operation: z.object({
    alsoKnownAs: z.array(z.string()).optional(),
    /** The handle in the oldest form of an operation. */
    handle: z.string().optional(),
  }),
});

/** The history of an identity. */
export interface IdentityHistory {
  createdAt: Date;
  handleChanges: number;
  /** `null` if the handle was never changed. */
  handleChangedAt: Date | null;
}

/** Reads the response of the PLC directory. Throws `InvalidResponseError`. */
export function readAuditLog(json: unknown): IdentityHistory {
  const [first, ...later] = entriesOf(json).filter(({ nullified }) => !nullified);
  if (!first) throw notOfDid();
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

/** Stops at the first malformed operation. A schema of the whole log would collect an error for each. */
function entriesOf(json: unknown) {
  if (!Array.isArray(json)) throw notOfDid();
  return json.map((entry) => {
    const read = entrySchema.safeParse(entry);
    if (!read.success) throw notOfDid();
    return read.data;
  });
}

function notOfDid(): InvalidResponseError {
  return new InvalidResponseError('the audit log is not one of a DID');
}

function handleOf({ alsoKnownAs = [], handle }: { alsoKnownAs?: string[] | undefined; handle?: string | undefined }) {
  return handle ?? alsoKnownAs.find((name) => name.startsWith('at://'))?.slice('at://'.length);
}
