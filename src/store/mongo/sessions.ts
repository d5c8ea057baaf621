import { type ClientSession, type Db, type MongoClient, MongoServerError, type ServerSessionId } from 'mongodb';
import { type Runtime, repeat, type Timer } from '../../shared/runtime/runtime.ts';
import type { ServerClock } from './clock.ts';
import type { Collections } from './collections.ts';
import { expired } from './parts.ts';

/** A process that sends no heartbeat for this time counts as dead. */
const writerTtlMs = 5_000;

/**
 * The sessions of this process's transactions, which are registered in the database. MongoDB keeps an open transaction of a dead process,
 * with its lock on the account, for a minute (`transactionLifetimeLimitSeconds`). Therefore every process kills the sessions of processes
 * that sent no heartbeat for 5 s. If such a process was only suspended, its commit fails and is sent again.
 */
export class Sessions {
  readonly #client: MongoClient;
  readonly #db: Db;
  readonly #writers: Collections['writers'];
  readonly #clock: ServerClock;
  readonly #id: string;
  readonly #idle: ClientSession[] = [];
  readonly #known = new Map<ClientSession, ServerSessionId>();
  readonly #doubtful = new Set<ClientSession>();
  #killing: Promise<void> | null = null;
  readonly #timers: readonly Timer[];
  #sweptAt: number | null = null;
  #sweepsFrom = 0;

  constructor(client: MongoClient, db: Db, { writers }: Collections, clock: ServerClock, runtime: Runtime) {
    this.#client = client;
    this.#db = db;
    this.#writers = writers;
    this.#clock = clock;
    this.#id = runtime.randomBytes(12).toString('base64url');
    // Errors are ignored, because both tasks run again soon. They have a timer each, so that a slow sweep does not delay the heartbeat.
    this.#timers = [
      repeat(runtime, writerTtlMs / 4, async () => {
        if (this.#known.size > 0) await this.#register().catch(() => undefined);
      }),
      repeat(runtime, writerTtlMs / 4, () => this.sweep().catch(() => undefined)),
    ];
  }

  /** Returns a registered session. First kills sessions whose transactions may still be open. */
  async take(): Promise<ClientSession> {
    while (this.#doubtful.size > 0) await this.#killDoubtful();
    const idle = this.#idle.pop();
    if (idle) return idle;
    const session = this.#client.startSession();
    if (!session.id) throw new Error('a session of the driver has no id');
    this.#known.set(session, session.id);
    try {
      await this.#register();
    } catch (error) {
      this.#known.delete(session);
      session.endSession().catch(() => undefined);
      throw error;
    }
    return session;
  }

  /** Returns a session whose transaction has ended to the pool. */
  give(session: ClientSession): void {
    this.#idle.push(session);
  }

  /** Discards a session whose transaction may still be open, for example because the server is unavailable. */
  discard(session: ClientSession): void {
    this.#doubtful.add(session);
  }

  /** Kills the sessions of dead processes. */
  async sweep(): Promise<void> {
    if (this.#doubtful.size > 0) await this.#killDoubtful();
    const ends = expired(await this.#clock.recent(), writerTtlMs).map((until) => ({ until }));
    const dead = await this.#writers.find({ $or: ends, _id: { $ne: this.#id } }).toArray();
    if (!this.#maySweep()) return;
    for (const { _id, sessions } of dead) {
      // The sweep may take long, and the process may have sent a heartbeat meanwhile.
      if (!(await this.#writers.findOne({ _id, $or: ends }, { projection: { _id: 1 } }))) continue;
      await this.#kill(sessions);
      await this.#writers.deleteOne({ _id, $or: ends });
    }
  }

  /** While the database is unavailable, no process can send a heartbeat. After such a time the others get the time to send one. */
  #maySweep(): boolean {
    const now = performance.now();
    if (this.#sweptAt !== null && now - this.#sweptAt > writerTtlMs / 2) this.#sweepsFrom = now + writerTtlMs;
    this.#sweptAt = now;
    return now >= this.#sweepsFrom;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    if (this.#known.size > 0) await this.#writers.deleteOne({ _id: this.#id }).catch(() => undefined);
  }

  async #register(): Promise<void> {
    const until = new Date((await this.#clock.recent()) + writerTtlMs);
    const sessions = [...this.#known.values()];
    await this.#writers.updateOne({ _id: this.#id }, { $set: { v: 1, sessions, until } }, { upsert: true });
  }

  /** Kills once at a time, because a second kill of a session could end its next transaction. */
  #killDoubtful(): Promise<void> {
    this.#killing ??= this.#killAndEnd([...this.#doubtful]).finally(() => {
      this.#killing = null;
    });
    return this.#killing;
  }

  async #killAndEnd(doubtful: readonly ClientSession[]): Promise<void> {
    try {
      await this.#kill(doubtful.flatMap((session) => this.#known.get(session) ?? []));
    } catch (error) {
      // Some hosted servers refuse the command. They end the transactions after a minute.
      if (!(error instanceof MongoServerError)) throw error;
    }
    for (const session of doubtful) {
      this.#doubtful.delete(session);
      this.#known.delete(session);
      // The driver may use the id again from now on.
      session.endSession().catch(() => undefined);
    }
  }

  async #kill(sessions: readonly ServerSessionId[]): Promise<void> {
    if (sessions.length > 0) await this.#db.command({ killSessions: sessions });
  }
}
