import type { IncomingMessage, ServerResponse } from 'node:http';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ErrorReason } from '../../shared/errors/reasons.ts';
import { type Runtime, repeat, type Timer } from '../../shared/runtime/runtime.ts';
import { streamOpened } from '../http/event-stream.ts';
import { afterClose } from '../http/request-locals.ts';
import { AdaptiveLimit, type ReadLateness } from './adaptive-limit.ts';

export interface OverloadOptions {
  runtime: Runtime;
  /** The maximum mean delay of the event loop in milliseconds. Above it, requests are refused. */
  maxEventLoopDelayMs: number;
  /** The maximum mean duration of a turn of the event loop in milliseconds. Above it, concurrent requests are limited. */
  maxEventLoopTurnMs: number;
  /** The maximum number of concurrent requests. */
  maxRequestsInFlight: number;
  /** Measures commits. Concurrent requests are limited while these are late. */
  readCommitLateness: ReadLateness;
}

const resolutionMs = 20;
const sampleMs = 500;
const turnSampleMs = 25;
const commitSampleMs = 250;
/** Fewer samples are taken of commits than of turns, so the limit increases more with each. */
const commitIncrease = { factor: 1.1, requests: 2 };
const retryAfterSeconds = 2;
/** A browser loads the files of a page over six connections, so up to six requests of an address without an API key count as none. */
const pageRequests = 6;

/** All refusals share these errors, because the stack trace of a new error would take a large part of the time of a refusal. */
const busy = overloaded('busy_overload', 'it is busy with the requests that it has accepted');
const storeBusy = overloaded('store_overload', 'its store is slow');

/**
 * Requests are refused after this many consecutive samples above the limit. One sample is not enough, because a single long pause is over
 * when it is measured.
 */
const lateSamples = 3;

/**
 * Refuses new requests while the process is overloaded, so that accepted requests finish in time. There are four limits: of concurrent
 * requests, of concurrent requests while the event loop or the store is saturated (`AdaptiveLimit`), and of the delay of the event loop,
 * whatever causes it (the same approach as fastify's under-pressure).
 */
export class Overload {
  readonly #options: OverloadOptions;
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #loopLimit: AdaptiveLimit;
  readonly #storeLimit: AdaptiveLimit;
  readonly #sampling: readonly Timer[];
  #lateSamples = 0;
  #inFlight = 0;
  /** The number of requests in flight of each caller. */
  readonly #inFlightOf = new Map<string, number>();

  constructor(options: OverloadOptions) {
    this.#options = options;
    this.#loopLimit = new AdaptiveLimit(turnLateness(options.maxEventLoopTurnMs));
    this.#storeLimit = new AdaptiveLimit(options.readCommitLateness, commitIncrease);
    this.#delay.enable();
    this.#sampling = [
      repeat(options.runtime, sampleMs, async () => this.#sample()),
      repeat(options.runtime, turnSampleMs, async () => this.#loopLimit.sample(this.#inFlight)),
      repeat(options.runtime, commitSampleMs, async () => this.#storeLimit.sample(this.#inFlight)),
    ];
  }

  /** Counts a request until its response has ended or has become a stream. Throws `unavailable`. */
  enter(request: IncomingMessage, response: ServerResponse): void {
    const { maxRequestsInFlight } = this.#options;
    if (this.#lateSamples >= lateSamples) throw overloaded('event_loop_overload', 'its event loop is delayed');
    if (this.#inFlight >= maxRequestsInFlight) {
      throw overloaded('request_overload', `${maxRequestsInFlight} requests are running`);
    }
    const caller = callerOf(request);
    const own = this.#inFlightOf.get(caller) ?? 0;
    const counted = request.headers.authorization === undefined ? Math.max(0, own + 1 - pageRequests) : own;
    if (!this.#loopLimit.allows(this.#inFlight, counted)) throw busy;
    if (!this.#storeLimit.allows(this.#inFlight, counted)) throw storeBusy;
    this.#inFlight++;
    this.#inFlightOf.set(caller, own + 1);
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      this.#inFlight--;
      this.#loopLimit.requestEnded();
      this.#storeLimit.requestEnded();
      const others = (this.#inFlightOf.get(caller) ?? 0) - 1;
      if (others > 0) this.#inFlightOf.set(caller, others);
      else this.#inFlightOf.delete(caller);
    };
    afterClose(response, leave);
    response.once(streamOpened, leave);
  }

  close(): void {
    for (const timer of this.#sampling) timer.cancel();
    this.#delay.disable();
  }

  #sample(): void {
    // The mean is NaN if there is no sample, and a comparison with NaN is false.
    const meanMs = this.#delay.mean / 1e6 - resolutionMs;
    this.#delay.reset();
    this.#lateSamples = meanMs > this.#options.maxEventLoopDelayMs ? this.#lateSamples + 1 : 0;
  }
}

/** Measures the mean duration of a turn of the event loop. */
function turnLateness(maxTurnMs: number): ReadLateness {
  let last = readLoop();
  return () => {
    const now = readLoop();
    const turnMs = (now.activeMs - last.activeMs) / Math.max(1, now.turns - last.turns);
    last = now;
    return turnMs / maxTurnMs;
  };
}

/** Returns how long the event loop was active since its start in milliseconds, and the number of its turns. */
function readLoop() {
  return {
    activeMs: performance.eventLoopUtilization().active,
    turns: performance.nodeTiming.uvMetricsInfo.loopCount,
  };
}

/**
 * Returns the API key as it was sent, because this check comes before the key is looked up. Requests with made-up keys end soon, so they
 * cannot take the room of others for long.
 */
function callerOf({ headers, socket }: IncomingMessage): string {
  return headers.authorization ?? socket.remoteAddress ?? '';
}

function overloaded(reason: ErrorReason, why: string): PosternError {
  return new PosternError(reason, `The service is overloaded (${why}). Nothing was performed. Retry shortly`, {
    retryAfterSeconds,
  });
}
