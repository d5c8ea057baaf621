import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { Clients } from './chat/client.ts';
import { AnsweringPeers } from './chat/peers.ts';
import type { Dataset } from './dataset/dataset.ts';
import { applyEntry, type Entry, tokenOf } from './dataset/entries.ts';
import { IdempotencyTokens } from './dataset/idempotency.ts';
import { FaultRegistry } from './faults/registry.ts';
import { RateLimit } from './http/rate-limit.ts';
import { Router } from './http/router.ts';
import { createSandboxServer } from './http/server.ts';
import { forgetfulJournal, type Journal, openJournal } from './journal/journal.ts';
import { operations } from './operations/table.ts';
import type { SandboxState } from './platform.ts';
import { Realms } from './realms/realms.ts';
import { Cursors } from './search/cursor.ts';
import { buildDataset } from './seed/build-dataset.ts';
import { makeChats } from './seed/chats.ts';
import { cursorKeyFor } from './seed/credentials.ts';
import { ActivitySimulator, type Schedule, systemSchedule } from './simulator/activity-simulator.ts';
import { Extras } from './simulator/extras.ts';
import { Stats } from './stats.ts';
import { UploadFiles } from './uploads/files.ts';

export interface SandboxOptions {
  /** The port, or 0 for any free one. */
  readonly port: number;
  /** The directory of the journal and of uploads. Null: everything is kept in memory only. */
  readonly dataDir: string | null;
  /** The same seed makes the same dataset. */
  readonly seed?: string;
  /**
   * Whether users of the dataset act on a demo account while its activity feed is polled, and answer direct messages. Default:
   * false.
   */
  readonly activity?: boolean;
  readonly now?: () => number;
  readonly schedule?: Schedule;
}

export interface Sandbox {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const MINUTE_MS = 60_000;

/** Starts the platform in this thread, for callers on this machine only. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const seed = options.seed ?? 'postern';
  const now = options.now ?? Date.now;
  const firstEpochMs = Math.floor(now() / MINUTE_MS) * MINUTE_MS;
  const { journal, epochMs, entries } =
    options.dataDir === null
      ? { journal: forgetfulJournal, epochMs: firstEpochMs, entries: [] }
      : openJournal(options.dataDir, seed, firstEpochMs);

  const realms = openRealms(options.dataDir, seed, journal);
  const tokens = new IdempotencyTokens();
  const cursors = new Cursors(cursorKeyFor(seed));
  const clients = new Clients(seed);
  const makeDataset = () => {
    const made = buildDataset(seed, epochMs);
    makeChats(made, seed, epochMs, clients);
    return made;
  };
  let dataset: Dataset = makeDataset();
  let extras: Extras | undefined;
  const apply = (entry: Entry) => {
    applyEntry(dataset, entry);
    if (entry.kind === 'reset') cursors.enter(entry.mark ?? '');
    const used = tokenOf(entry);
    if (used !== undefined) tokens.remember(used.actorId, used.token, used.fingerprint, used.subjectId, used.at);
  };
  for (const entry of entries) apply(entry);
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
    rateLimit: new RateLimit(),
    stats: new Stats(),
    cursors,
    tokens,
    clients,
    simulator: new ActivitySimulator(schedule),
    peers: new AnsweringPeers(schedule),
    realms,
    now,
    get dataset() {
      return dataset;
    },
    get extras() {
      extras ??= new Extras(dataset, seed);
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
      this.commit({ kind: 'reset', at: now(), mark: randomUUID(), lastEvent });
      // If the reset cannot be written, a restart returns to the dataset before it, so its files must remain until then.
      journal.settled().then(
        () => {
          files.remove(gone);
          chatFiles.remove(goneFromChats);
        },
        () => {},
      );
    },
  };

  const server = createSandboxServer(platform, new Router(operations));
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

function openRealms(dataDir: string | null, seed: string, journal: Journal): Realms {
  try {
    return new Realms(dataDir, seed);
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

/** Gives running requests half a second, then closes the connections that remain, such as those of injected hangs. */
async function close(server: Server, platform: SandboxState): Promise<void> {
  platform.simulator.stop();
  platform.peers.stop();
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
