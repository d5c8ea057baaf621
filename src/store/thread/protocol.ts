import type { Store } from '../port.ts';

/** The methods of the store that can be called from another thread. The type below does not compile if one is missing. */
export const storeMethods = {
  accounts: ['create', 'find', 'rename', 'setRateLimit', 'setLowCreditThreshold', 'list', 'markDeleted', 'erase'],
  keys: ['create', 'createWithin', 'findByHash', 'find', 'list', 'revoke', 'touch'],
  audit: ['list'],
  ledger: ['commit', 'topUp', 'sweep', 'balance', 'usage', 'payments'],
  statistics: ['add', 'list'],
  idempotency: ['claim', 'renew', 'end', 'answer', 'repeat'],
  processes: ['beat', 'leave'],
  webhooks: [
    ...(['create', 'find', 'list', 'listAll', 'reseal', 'ofPoller', 'update', 'remove'] as const),
    ...(['withPlainUrl', 'beginHandshake', 'endHandshake'] as const),
  ],
  pollers: [
    ...(['beat', 'leave', 'find', 'keepForStream', 'claim', 'release', 'confirm'] as const),
    ...(['count', 'woken', 'stop', 'setUnreachable', 'listAll', 'reseal', 'renew'] as const),
  ],
  events: ['append', 'queueLate', 'after', 'place', 'sealed', 'lastPlace', 'sweep'],
  secretCheck: ['read', 'write', 'samples', 'discardSealed'],
  platformState: ['read', 'write'],
  identifiers: ['find', 'save'],
  deliveries: ['waiting', 'finish', 'list', 'find', 'queued', 'replay', 'drop', 'backlog'],
  accountEvents: ['add', 'waiting', 'queue'],
  connections: ['create', 'find', 'list', 'listAll', 'replace', 'touch', 'toRevoke', 'remove'],
} as const satisfies { [Group in StoreGroup]: readonly (keyof Store[Group])[] };

export type StoreGroup =
  | ('accounts' | 'keys' | 'audit' | 'ledger' | 'statistics' | 'idempotency' | 'processes')
  | ('webhooks' | 'pollers' | 'events' | 'deliveries' | 'accountEvents' | 'secretCheck' | 'platformState')
  | ('identifiers' | 'connections');
type Missing = { [Group in StoreGroup]: Exclude<keyof Store[Group], (typeof storeMethods)[Group][number]> }[StoreGroup];
type Verb = { [Group in StoreGroup]: `${Group}.${(typeof storeMethods)[Group][number]}` }[StoreGroup];
export type Method = [Missing] extends [never] ? Verb | 'ready' | 'inspect' | 'close' : never;

/** Calls and results are sent in batches, one message for each turn of the event loop. */
export type Calls = readonly { id: number; method: Method; args: readonly unknown[] }[];
export type Answers = readonly (
  | { id: number; value: unknown }
  /** `unavailable` marks a `StoreUnavailableError`, because a structured clone does not keep the class of an error. */
  | { id: number; failure: unknown; unavailable: boolean }
)[];
