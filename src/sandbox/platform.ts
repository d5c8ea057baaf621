import type { Clients } from './chat/client.ts';
import type { AnsweringPeers } from './chat/peers.ts';
import type { Dataset } from './dataset/dataset.ts';
import type { Entry } from './dataset/entries.ts';
import type { IdempotencyTokens } from './dataset/idempotency.ts';
import type { FaultRegistry } from './faults/registry.ts';
import type { RateLimit } from './http/rate-limit.ts';
import type { Journal } from './journal/journal.ts';
import type { Realms } from './realms/realms.ts';
import type { Cursors } from './search/cursor.ts';
import type { ActivitySimulator } from './simulator/activity-simulator.ts';
import type { Extras } from './simulator/extras.ts';
import type { Stats } from './stats.ts';
import type { UploadFiles } from './uploads/files.ts';

/** The state of the sandbox that all operations share. */
export interface SandboxState {
  readonly seed: string;
  readonly startedAt: number;
  readonly journal: Journal;
  /** The bytes of uploads. */
  readonly files: UploadFiles;
  /** The bytes of encrypted attachments. */
  readonly chatFiles: UploadFiles;
  readonly faults: FaultRegistry;
  readonly rateLimit: RateLimit;
  readonly stats: Stats;
  readonly cursors: Cursors;
  readonly tokens: IdempotencyTokens;
  readonly realms: Realms;
  now(): number;
  /** Replaced by a reset, so every call reads it again. */
  readonly dataset: Dataset;
  /** The users of the dataset who act by themselves. */
  readonly extras: Extras;
  readonly simulator: ActivitySimulator;
  readonly clients: Clients;
  readonly peers: AnsweringPeers;
  /** Applies an accepted write and appends it to the journal. */
  commit(entry: Entry): void;
  /** Replaces the dataset by that of the seed. */
  reset(): void;
}
