import { type Fields, optionalInteger, optionalString, requiredInteger, requiredString } from '../fields.ts';
import { badRequest } from '../refusal.ts';

/** A failure that a control call injects into responses. */
export type InjectedFault =
  | { readonly kind: 'latency'; readonly ms: number }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly code: string | undefined;
      readonly message: string | undefined;
      readonly retry_after: number | undefined;
    }
  | { readonly kind: 'rate_limit'; readonly retry_after: number }
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: PlainKind };

const plainKinds = ['reset', 'reset_after', 'hang', 'hang_after', 'nonsense', 'wrong_shape', 'truncated'] as const;
type PlainKind = (typeof plainKinds)[number];

/** Returns true if the operation runs and its writes are saved before the fault takes effect. */
export function runsOperation(fault: InjectedFault): boolean {
  return ['latency', 'reset_after', 'hang_after', 'truncated'].includes(fault.kind);
}

export function readFault(value: unknown): InjectedFault {
  if (typeof value !== 'object' || value === null) throw badRequest('fault', 'fault must be an object with a kind');
  const fields = value as Fields;
  const kind = requiredString(fields, 'kind');
  const plain = plainKinds.find((known) => known === kind);
  if (plain !== undefined) return { kind: plain };
  switch (kind) {
    case 'latency':
      return { kind, ms: requiredInteger(fields, 'ms', 0, 600_000) };
    case 'rate_limit':
      return { kind, retry_after: requiredInteger(fields, 'retry_after', 0, 86_400) };
    case 'redirect':
      return { kind, location: locationOf(requiredString(fields, 'location')) };
    case 'status':
      return {
        kind,
        status: requiredInteger(fields, 'status', 200, 599),
        code: optionalString(fields, 'code'),
        message: optionalString(fields, 'message'),
        retry_after: optionalInteger(fields, 'retry_after', 0, 86_400),
      };
    default:
      throw badRequest('fault', `No such kind of fault: ${kind}`);
  }
}

function locationOf(text: string): string {
  // The text is sent as a header without encoding.
  if (!/^[\x21-\x7e]+$/.test(text)) throw badRequest('location', 'location must be printable ASCII');
  return text;
}
