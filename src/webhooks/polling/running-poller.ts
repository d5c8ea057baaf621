import { PosternError } from '../../shared/errors/postern-error.ts';
import { isMessageEvent, type PlatformEvent } from '../../shared/model/event.ts';
import { chance, type Runtime, type Timer } from '../../shared/runtime/runtime.ts';
import type { PollerRecord, Store } from '../../store/port.ts';
import type { QueueParts } from '../delivery/delivery-queue.ts';
import type { Receivers } from '../delivery/receiver.ts';
import { ResultWriter } from '../delivery/result-writer.ts';
import type { SendGate } from '../delivery/send-gate.ts';
import { DailyCheck } from '../registration/daily-check.ts';
import type { Handshakes } from '../registration/handshakes.ts';
import type { MessageOpener } from '../shared/message-opener.ts';
import { type PlatformAccess, pollerSession } from '../shared/platform-access.ts';
import type { WebhookVault } from '../shared/secrets.ts';
import { gapEvent, newEvent, splitForAppend } from '../shared/stored-event.ts';
import { pauseAfterFaultMs, pauseMs } from './pace.ts';
import { outageReason, PlatformOutage } from './platform-outage.ts';
import { PollerMessages } from './poller-messages.ts';
import { PollerQueues } from './poller-queues.ts';

const eventsAtOnce = 100;

export interface PollerParts extends PlatformAccess {
  store: Store;
  vault: WebhookVault;
  receivers: Receivers;
  runtime: Runtime;
  handshakes: Handshakes;
  gate: SendGate;
  opener: MessageOpener;
  onAttempt: QueueParts['onAttempt'];
  /** Events reached the store, so long after the platform's time of each. */
  onAppended: (poller: string, afterMs: readonly number[]) => void;
  /** The platform did not keep all that happened. */
  onGap: (poller: PollerRecord) => void;
  onFault: (error: unknown, poller: PollerRecord | null) => void;
  /** This process does not run it any more. */
  onLost: () => void;
}

/** One poller while this process runs it: asks the platform, appends what happened, and feeds its webhooks. */
export class RunningPoller {
  readonly #parts: PollerParts;
  readonly #results: ResultWriter;
  readonly #check: DailyCheck;
  readonly #queues: PollerQueues;
  readonly #messages: PollerMessages;
  readonly #outage: PlatformOutage;
  #record: PollerRecord;
  #cursor: string | null;
  /** The platform did not take the cursor any more, and what came behind it was not read. */
  #cursorLost = false;
  #stopped: boolean;
  #timer: Timer | undefined;
  #quietSince: number;
  #faults = 0;
  #polling: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(record: PollerRecord, parts: PollerParts) {
    const { store, vault, runtime, onLost, onFault } = parts;
    this.#parts = parts;
    this.#record = record;
    this.#cursor = record.cursor;
    this.#stopped = record.stopped !== null;
    // One that was quiet before a start is so after it: else all of them would ask at their fastest.
    this.#quietSince = runtime.now() - Math.max(0, store.now() - Math.max(record.createdAt, record.appendedAt));
    this.#check = new DailyCheck(parts);
    this.#outage = new PlatformOutage(record, { store, vault, runtime, onFault: (error) => onFault(error, record) });
    this.#results = new ResultWriter({
      ...{ deliveries: store.deliveries, runtime, poller: record, onLost },
      onFault: (error) => onFault(error, record),
    });
    this.#queues = new PollerQueues({
      ...{ ...parts, poller: record },
      finished: (result) => this.#results.note(result),
      onFault: (error) => onFault(error, record),
    });
    this.#messages = new PollerMessages({
      ...{ ...parts, queues: this.#queues },
      poller: () => (this.#stopped ? null : this.#record),
      inTurn: (work) => this.#inTurn(work),
      onFault: (error) => onFault(error, this.#record),
    });
  }

  get record(): PollerRecord {
    return this.#record;
  }

  /** Deliveries in memory. */
  get backlog(): number {
    return this.#queues.backlog;
  }

  /** Tries until the store has answered. */
  async start(): Promise<void> {
    try {
      await this.#queues.read(true);
      this.#messages.waiting.look();
      this.#pollIn(0);
    } catch (error) {
      if (this.#ended) return;
      this.#parts.onFault(error, this.#record);
      this.#timer = this.#parts.runtime.after(this.#pauseAfterFault(), () => void this.start());
    }
  }

  /** It or one of its webhooks was changed, or something was queued for one. */
  async refresh(record: PollerRecord): Promise<void> {
    this.#record = record;
    this.#outage.refresh(record);
    this.#stopped = record.stopped !== null;
    await this.#queues.read(true);
    this.#messages.waiting.look();
    this.#quietSince = this.#parts.runtime.now();
    this.#pollIn(0);
  }

  /** Begins nothing more; resolves when what was begun is over, and written down. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#timer?.cancel();
    this.#results.end();
    await Promise.all([this.#messages.waiting.end().then(() => this.#polling), this.#queues.end()]);
    await this.#outage.end();
  }

  #pollIn(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#ended || this.#stopped) return;
    this.#timer = this.#parts.runtime.after(delayMs, () => void this.#inTurn(() => this.#poll()));
  }

  /** One after the other. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#polling.then(work);
    this.#polling = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  async #poll(): Promise<void> {
    const { vault, runtime, onFault } = this.#parts;
    if (this.#ended || this.#stopped) return;
    try {
      const page = await pollerSession(this.#parts, this.#record.account, vault.openPoller(this.#record)).activity({
        count: eventsAtOnce,
        cursor: this.#cursor,
      });
      const { events, cursor } = page;
      const gap = page.gap || this.#cursorLost;
      if (events.length > 0 || this.#cursor === null || gap) await this.#append(events, cursor, gap);
      this.#faults = 0;
      this.#outage.worked();
      this.#check.run(this.#queues.webhooks).catch((error) => onFault(error, this.#record));
      if (events.length > 0) this.#quietSince = runtime.now();
      const quietMs = runtime.now() - this.#quietSince;
      this.#pollIn(events.length === eventsAtOnce ? 0 : pauseMs(quietMs, chance(runtime)));
    } catch (error) {
      await this.#afterFault(error);
    }
  }

  async #append(events: readonly PlatformEvent[], cursor: string, gap: boolean): Promise<void> {
    const { store, vault, runtime, onAppended, onGap, onLost } = this.#parts;
    const { account, id: poller } = this.#record;
    // Of one that was made or has become valid just now, nothing was heard yet, and this may be for it.
    if (events.length > 0) await this.#queues.read(false);
    const idOf = ({ id, type }: PlatformEvent) => vault.eventId(account, id, type);
    const opened = await this.#messages.open(this.#record, events.filter(isMessageEvent), idOf);
    const made = events.map((event) => newEvent(idOf(event), event, opened.get(event.id)));
    const wanted = made.flatMap((event) =>
      this.#queues
        .wanting(event.type)
        .filter(({ webhook }) => event.only === null || event.only.has(webhook.id))
        .map(({ webhook, queue }) => ({ event, webhook, queue })),
    );
    // First, since it comes before what is there. By the cursor, so that a poll that is made again tells of it once.
    const gaps = gap ? [gapEvent(vault.eventId(account, this.#cursor ?? cursor, 'gap'))] : [];
    const sealed = [...gaps, ...made].map(({ id, type, kept }) => ({
      ...{ id, type },
      sealed: vault.sealBody(account, id, kept),
    }));
    const deliveries = wanted.map(({ event, webhook }) => ({ event: event.id, webhook: webhook.id }));
    // A part that is stored before a fault is passed over when the page comes again, since the cursor has not moved.
    const parts = this.#cursor === null ? [sealed] : splitForAppend(sealed);
    for (const [at, events] of parts.entries()) {
      const isLast = at === parts.length - 1;
      const append = { poller: this.#record, cursor: (isLast ? null : this.#cursor) ?? cursor, events, deliveries };
      if ((await store.events.append(append)) === 'superseded') return onLost();
    }
    const now = runtime.now();
    if (made.length > 0 || gap) {
      onAppended(
        poller,
        made.map(({ createdAt }) => now - createdAt),
      );
    }
    for (const { event, queue } of wanted) {
      queue.add({ event: event.id, body: event.body, attempts: 0, nextAt: now, replayed: false, eventAt: now });
    }
    this.#cursor = cursor;
    this.#cursorLost = false;
    if (gap) onGap(this.#record);
  }

  async #afterFault(error: unknown): Promise<void> {
    const known = error instanceof PosternError ? error : null;
    if (known?.code === 'bad_input' && this.#cursor !== null) {
      // A cursor that the platform does not take (any more): it goes on with what is new.
      this.#cursor = null;
      this.#cursorLost = true;
      return this.#pollIn(0);
    }
    const { proxy } = this.#parts.vault.openPoller(this.#record);
    const outage = outageReason(error, proxy !== null);
    if (outage !== null) this.#outage.failed(outage);
    const isRefused = known?.code === 'forbidden' || known?.code === 'bad_input' || known?.code === 'not_supported';
    if (isRefused && outage === null) {
      try {
        this.#outage.worked();
        return await this.#stop(known.message);
      } catch (fault) {
        this.#parts.onFault(fault, this.#record);
      }
    } else this.#parts.onFault(error, this.#record);
    this.#pollIn(this.#pauseAfterFault(known?.retryAfterSeconds));
  }

  #pauseAfterFault(retryAfterSeconds?: number): number {
    return pauseAfterFaultMs(this.#faults++, retryAfterSeconds, chance(this.#parts.runtime));
  }

  /** What the platform refuses it will refuse again: it waits for its owner, who is told. */
  async #stop(reason: string): Promise<void> {
    const { store, onLost } = this.#parts;
    const { account, id, fence } = this.#record;
    if (!(await store.pollers.stop(this.#record, reason))) {
      const now = await store.pollers.find(account, id);
      if (now?.fence !== fence) return onLost();
      // Sealed anew meanwhile, by a webhook that came or was renewed: nobody has tried those.
      return this.refresh(now);
    }
    this.#stopped = true;
  }
}
