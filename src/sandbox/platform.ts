import type { Clients } from './chat/client.ts';
import type { AnsweringPeers } from './chat/peers.ts';
import type { FaultRegistry } from './faults/registry.ts';
import type { RateLimit } from './http/rate-limit.ts';
import type { Journal } from './journal/journal.ts';
import type { Extras } from './life/extras.ts';
import type { Life } from './life/life.ts';
import type { Realms } from './realms/realms.ts';
import type { Cursors } from './search/cursor.ts';
import type { Stats } from './stats.ts';
import type { UploadFiles } from './uploads/files.ts';
import type { Entry } from './world/entries.ts';
import type { IdempotencyTokens } from './world/idempotency.ts';
import type { World } from './world/world.ts';

/** What every operation works on. */
export interface SandboxPlatform {
  readonly seed: string;
  readonly startedAt: number;
  readonly journal: Journal;
  /** The bytes of uploads. */
  readonly files: UploadFiles;
  /** Those of sealed attachments. */
  readonly chatFiles: UploadFiles;
  readonly faults: FaultRegistry;
  readonly rateLimit: RateLimit;
  readonly stats: Stats;
  readonly cursors: Cursors;
  readonly tokens: IdempotencyTokens;
  readonly realms: Realms;
  now(): number;
  /** Replaced by a reset; read it afresh in every call. */
  readonly world: World;
  /** Of that world. */
  readonly extras: Extras;
  readonly life: Life;
  readonly clients: Clients;
  readonly peers: AnsweringPeers;
  /** Carries an accepted write out and hands it to the journal. */
  commit(entry: Entry): void;
  /** Back to the world of the seed. */
  reset(): void;
}
