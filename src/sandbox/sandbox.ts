import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { AutoResponder } from './chat/auto-responder.ts';
import { SeedChatClients } from './chat/seed-chat-clients.ts';
import type { Dataset } from './dataset/dataset.ts';
import { applyEntry, type Entry, tokenOf } from './dataset/entries.ts';
import { IdempotencyTokens } from './dataset/idempotency.ts';
import { FaultRegistry } from './faults/registry.ts';
import { LongPolls } from './http/long-polls.ts';
import { ActorRateLimiter } from './http/rate-limit.ts';
import { Router } from './http/router.ts';
import { createSandboxServer } from './http/server.ts';
import { type Journal, memoryJournal, openJournal } from './journal/journal.ts';
import { operations } from './operations/table.ts';
import type { SandboxState } from './platform.ts';
import { Realms } from './realms/realms.ts';
import type { PinHashing } from './realms/seed-record.ts';
import { Cursors } from './search/cursor.ts';
import { buildDataset, defaultSeed } from './seed/build-dataset.ts';
import { makeChats } from './seed/chats.ts';
import { cursorKeyFor } from './seed/credentials.ts';
import { ActivitySimulator, type Schedule, systemSchedule } from './simulator/activity-simulator.ts';
import { SimulatedUsers } from './simulator/simulated-users.ts';
import { Stats } from './stats.ts';
import { UploadFiles } from './uploads/files.ts';
import { xOperations } from './x/operations.ts';

export interface SandboxOptions {
  /** The port. 0 selects a free port. */
  readonly port: number;
  /** The directory of the journal, uploads and key realms. Null: everything is kept in memory only. */
  readonly dataDir: string | null;
  /** The seed of the dataset. The same seed gives the same dataset. */
  readonly seed?: string;
  /**
   * If true, users of the dataset act on a demo account while its activity feed is polled, and answer direct messages.
   * Default: false.
   */
  readonly activity?: boolean;
  readonly now?: () => number;
  readonly schedule?: Schedule;
  /** How the key backup hashes PINs. Default: `Standard2019`, as X does. */
  readonly pinHashing?: PinHashing;
}

export interface Sandbox {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const MINUTE_MS = 60_000;
const served = [...operations, ...xOperations];

/** Starts the sandbox in the current thread. It accepts connections from this machine only. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const seed = options.seed ?? defaultSeed;
  const now = options.now ?? Date.now;
  const firstEpochMs = Math.floor(now() / MINUTE_MS) * MINUTE_MS;
  const { journal, epochMs, entries } =
    options.dataDir === null
      ? { journal: memoryJournal, epochMs: firstEpochMs, entries: [] }
      : openJournal(options.dataDir, seed, firstEpochMs);

  const realms = openRealms(options, seed, journal);
  const tokens = new IdempotencyTokens();
  const cursors = new Cursors(cursorKeyFor(seed));
  const clients = new SeedChatClients(seed);
  const longPolls = new LongPolls();
  const makeDataset = () => {
    const made = buildDataset(seed, epochMs);
    makeChats(made, seed, epochMs, clients);
    made.activity.onEvent = ({ id }) => longPolls.wake(id);
    return made;
  };
  let dataset: Dataset = makeDataset();
  let extras: SimulatedUsers | undefined;
  const apply = (entry: Entry): boolean => {
    if (!applyEntry(dataset, entry)) return false;
    if (entry.kind === 'reset') cursors.enter(entry.mark ?? '');
    const used = tokenOf(entry);
    if (used !== undefined) tokens.remember(used.actorId, used.token, used.fingerprint, used.subjectId, used.at);
    return true;
  };
  const dropped = entries.filter((entry) => !apply(entry)).length;
  if (dropped > 0) {
    process.emitWarning(
      `The sandbox left out ${dropped} of ${entries.length} earlier writes, because the users or tweets that they refer to do not exist in ` +
        'the dataset of this version. POST /control/reset removes all earlier writes',
    );
  }
  const files = new UploadFiles(options.dataDir === null ? null : join(options.dataDir, 'media'));
  dataset.uploads.sweep(now());
  files.removeOthers(dataset.uploads.files());
  const chatFiles = new UploadFiles(options.dataDir === null ? null : join(options.dataDir, 'chat-media'));
  chatFiles.removeOthers(new Set(dataset.chats.media.keys()));

  const schedule = options.activity === true ? (options.schedule ?? systemSchedule) : null;
  const platform: SandboxState = {
    seed,
    startedAt: now(),
    journal,
    files,
    chatFiles,
    faults: new FaultRegistry(),
    operationIds: new Set(served.map(({ id }) => id)),
    rateLimit: new ActorRateLimiter(),
    longPolls,
    stats: new Stats(),
    cursors,
    tokens,
    clients,
    simulator: new ActivitySimulator(schedule),
    peers: new AutoResponder(schedule),
    realms,
    now,
    get dataset() {
      return dataset;
    },
    get extras() {
      extras ??= new SimulatedUsers(dataset, seed);
      return extras;
    },
    commit(entry) {
      apply(entry);
      journal.append(entry);
    },
    reset() {
      const { origin } = dataset;
      const gone = dataset.uploads.files();
      const goneFromChats = [...dataset.chats.media.keys()];
      const lastEvent = dataset.activity.lastId;
      dataset = makeDataset();
      dataset.origin = origin;
      extras = undefined;
      tokens.clear();
      realms.clear();
      this.faults.clear();
      this.rateLimit.set(null);
      this.stats.clear();
      longPolls.wakeAll();
      this.commit({ kind: 'reset', at: now(), mark: randomUUID(), lastEvent });
      // If the reset cannot be written, a restart returns to the previous dataset, so its files must remain until the
      // write succeeds.
      journal.settled().then(
        () => {
          files.remove(gone);
          chatFiles.remove(goneFromChats);
        },
        () => {},
      );
    },
  };

  const server = createSandboxServer(platform, new Router(served));
  try {
    const port = await listen(server, options.port);
    dataset.origin = `http://127.0.0.1:${port}`;
    return { url: dataset.origin, port, close: () => close(server, platform) };
  } catch (error) {
    await realms.close();
    journal.close();
    throw error;
  }
}

function openRealms({ dataDir, pinHashing = 'Standard2019' }: SandboxOptions, seed: string, journal: Journal): Realms {
  try {
    return new Realms(dataDir, seed, pinHashing);
  } catch (error) {
    journal.close();
    throw error;
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/**
 * Stops the server. Running requests have half a second to finish. Then all connections are closed, including those
 * that an injected fault keeps open.
 */
async function close(server: Server, platform: SandboxState): Promise<void> {
  platform.simulator.stop();
  platform.peers.stop();
  platform.longPolls.close();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), 500);
  await closed;
  clearTimeout(cut);
  await platform.realms.close();
  platform.journal.close();
  platform.files.close();
  platform.chatFiles.close();
}
