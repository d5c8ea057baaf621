import * as v from '@atcute/lexicons/validations';
import { InvalidResponseError } from '../http/errors.ts';

/** The operations on a DID, oldest first: https://web.plc.directory/spec/v0.1/did-plc */
const auditLog = v.array(
  v.object({
    createdAt: v.datetimeString(),
    nullified: v.boolean(),
    operation: v.object({
      alsoKnownAs: v.optional(v.array(v.string())),
      /** The handle in the oldest form of an operation. */
      handle: v.optional(v.string()),
    }),
  }),
);

/** The history of an identity. */
export interface IdentityHistory {
  createdAt: Date;
  handleChanges: number;
  /** `null` if the handle was never changed. */
  handleChangedAt: Date | null;
}

/** Reads the response of the PLC directory. Throws `InvalidResponseError`. */
export function readAuditLog(json: unknown): IdentityHistory {
  const [first, ...later] = v.is(auditLog, json) ? json.filter(({ nullified }) => !nullified) : [];
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
