import type { Store } from '../port.ts';

/** The verbs that cross the thread border. The type below fails to compile while one is missing. */
export const verbs = {
  accounts: ['create', 'find', 'setRateLimit', 'list'],
  keys: ['create', 'findByHash', 'list', 'revoke', 'touch'],
  ledger: ['commit', 'topUp', 'sweep', 'balance', 'usage', 'payments'],
  idempotency: ['claim', 'renew', 'end', 'answer'],
  processes: ['beat', 'leave'],
  webhooks: [
    ...(['create', 'find', 'list', 'ofPoller', 'update', 'remove'] as const),
    ...(['withPlainUrl', 'beginHandshake', 'endHandshake'] as const),
  ],
  pollers: [
    ...(['beat', 'leave', 'find', 'keepForStream', 'claim', 'release', 'confirm'] as const),
    ...(['count', 'woken', 'stop', 'setUnreachable', 'renew'] as const),
  ],
  events: ['append', 'queueLate', 'after', 'place', 'lastPlace', 'sweep'],
  secretCheck: ['read', 'write', 'samples', 'discardSealed'],
  deliveries: ['waiting', 'finish', 'list', 'replay', 'giveUp', 'backlog'],
} as const satisfies { [Group in StoreGroup]: readonly (keyof Store[Group])[] };

export type StoreGroup =
  | ('accounts' | 'keys' | 'ledger' | 'idempotency' | 'processes')
  | ('webhooks' | 'pollers' | 'events' | 'deliveries' | 'secretCheck');
type Missing = { [Group in StoreGroup]: Exclude<keyof Store[Group], (typeof verbs)[Group][number]> }[StoreGroup];
type Verb = { [Group in StoreGroup]: `${Group}.${(typeof verbs)[Group][number]}` }[StoreGroup];
export type Method = [Missing] extends [never] ? Verb | 'ready' | 'inspect' | 'close' : never;

/** Calls and answers travel in batches: one message for all that one turn of the event loop brings. */
export type Calls = readonly { id: number; method: Method; args: readonly unknown[] }[];
export type Answers = readonly (
  | { id: number; value: unknown }
  /** `unavailable`: a `StoreUnavailableError`, whose class a structured clone would lose. */
  | { id: number; fault: unknown; unavailable: boolean }
)[];
