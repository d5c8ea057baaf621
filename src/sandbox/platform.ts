import type { AutoResponder } from './chat/auto-responder.ts';
import type { SeedChatClients } from './chat/seed-chat-clients.ts';
import type { Dataset } from './dataset/dataset.ts';
import type { Entry } from './dataset/entries.ts';
import type { IdempotencyTokens } from './dataset/idempotency.ts';
import type { FaultRegistry } from './faults/registry.ts';
import type { LongPolls } from './http/long-polls.ts';
import type { ActorRateLimiter } from './http/rate-limit.ts';
import type { Journal } from './journal/journal.ts';
import type { Realms } from './realms/realms.ts';
import type { Cursors } from './search/cursor.ts';
import type { ActivitySimulator } from './simulator/activity-simulator.ts';
import type { SimulatedUsers } from './simulator/simulated-users.ts';
import type { Stats } from './stats.ts';
import type { UploadFiles } from './uploads/files.ts';

/** The state of the sandbox that all operations share. */
export interface SandboxState {
  readonly seed: string;
  readonly startedAt: number;
  readonly journal: Journal;
  /** The files of uploads. */
  readonly files: UploadFiles;
  /** The files of encrypted attachments. */
  readonly chatFiles: UploadFiles;
  readonly faults: FaultRegistry;
  /** The operations that a fault may name. */
  readonly operationIds: ReadonlySet<string>;
  readonly rateLimit: ActorRateLimiter;
  readonly longPolls: LongPolls;
  readonly stats: Stats;
  readonly cursors: Cursors;
  readonly tokens: IdempotencyTokens;
  readonly realms: Realms;
  now(): number;
  /** The current dataset. A reset replaces it, so handlers must not keep a reference between calls. */
  readonly dataset: Dataset;
  /** Users of the dataset who perform simulated actions. */
  readonly extras: SimulatedUsers;
  readonly simulator: ActivitySimulator;
  readonly clients: SeedChatClients;
  readonly peers: AutoResponder;
  /** Applies an accepted write and appends it to the journal. */
  commit(entry: Entry): void;
  /** Replaces the dataset with that of the seed. */
  reset(): void;
}
