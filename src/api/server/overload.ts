import type { ServerResponse } from 'node:http';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ErrorReason } from '../../shared/errors/reasons.ts';
import { type Runtime, repeat, type Timer } from '../../shared/runtime/runtime.ts';
import { streamOpened } from '../http/event-stream.ts';
import { afterClose } from '../http/request-locals.ts';

export interface OverloadOptions {
  runtime: Runtime;
  /** The maximum mean delay of the event loop in milliseconds. Above it, requests are refused. */
  maxEventLoopDelayMs: number;
  /** The maximum number of concurrent requests. */
  maxRequestsInFlight: number;
}

const resolutionMs = 20;
const delaySampleMs = 500;
const busySampleMs = 50;
/** The event loop is saturated if it is active for at least this part of a sample. */
const busyUtilization = 0.98;
/** While the event loop is saturated, this part of the maximum number of concurrent requests is accepted. */
const busyShare = 1 / 25;
/** The values of `keyShare` while the event loop is saturated: above an eighth of the slots, and above half of them. */
const [busyKeyShare, crowdedKeyShare] = [1 / 8, 1 / 64];
/** The event loop is late after this many consecutive samples, because a single long pause is over when it is measured. */
const lateSamples = 3;
/** The event loop becomes saturated, and then free again, after this many consecutive samples. */
const [samplesToBusy, samplesToFree] = [2, 20];
const retryAfterSeconds = 2;

/** All refusals share these errors, because the stack trace of a new error would take a large part of the time of a refusal. */
const late = overloaded('event_loop_overload', 'its event loop is delayed');
const busy = overloaded('busy_overload', 'it is busy with the requests that it has accepted');
const full = overloaded('request_overload', 'too many requests are running');

/**
 * Refuses new requests while the process is overloaded, so that accepted requests finish in time: above a number of concurrent requests, above a
 * lower number while the event loop is saturated, and while the event loop is delayed, whatever causes it (as fastify's under-pressure does).
 * Requests that wait for the platform do not saturate the event loop, so a slow platform does not lower the number.
 */
export class Overload {
  readonly #options: OverloadOptions;
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #sampling: readonly Timer[];
  #utilization = performance.eventLoopUtilization();
  #lateSamples = 0;
  #isBusy = false;
  /** The number of consecutive samples that contradict `#isBusy`. */
  #otherSamples = 0;
  readonly #responses = new Set<ServerResponse>();

  constructor(options: OverloadOptions) {
    this.#options = options;
    this.#delay.enable();
    this.#sampling = [
      repeat(options.runtime, delaySampleMs, async () => this.#sampleDelay()),
      repeat(options.runtime, busySampleMs, async () => this.#sampleUtilization()),
    ];
  }

  /**
   * The fraction of MAX_CONCURRENT_REQUESTS that a key may use now. It decreases while the event loop is saturated, so
   * that a few busy keys cannot take all slots.
   */
  get keyShare(): number {
    if (!this.#isBusy) return 1;
    const taken = this.#running / this.#busyLimit;
    if (taken <= 1 / 8) return 1;
    return taken > 1 / 2 ? crowdedKeyShare : busyKeyShare;
  }

  get #busyLimit(): number {
    return this.#options.maxRequestsInFlight * busyShare;
  }

  /** The number of requests that have arrived whole and are not answered. A client that sends or reads slowly saturates nothing. */
  get #running(): number {
    let running = 0;
    for (const { req, writableEnded } of this.#responses) if (req.complete && !writableEnded) running++;
    return running;
  }

  /** Counts a request until its response has ended or has become a stream. Throws `unavailable`. */
  enter(response: ServerResponse): void {
    if (this.#lateSamples >= lateSamples) throw late;
    if (this.#responses.size >= this.#options.maxRequestsInFlight) throw full;
    if (this.#isBusy && this.#running >= this.#busyLimit) throw busy;
    this.#responses.add(response);
    const leave = () => this.#responses.delete(response);
    afterClose(response, leave);
    response.once(streamOpened, leave);
  }

  close(): void {
    for (const timer of this.#sampling) timer.cancel();
    this.#delay.disable();
  }

  #sampleDelay(): void {
    // The mean is NaN if there is no sample, and a comparison with NaN is false.
    const meanMs = this.#delay.mean / 1e6 - resolutionMs;
    this.#delay.reset();
    this.#lateSamples = meanMs > this.#options.maxEventLoopDelayMs ? this.#lateSamples + 1 : 0;
  }

  #sampleUtilization(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#utilization);
    this.#utilization = now;
    this.#otherSamples = utilization >= busyUtilization === this.#isBusy ? 0 : this.#otherSamples + 1;
    if (this.#otherSamples < (this.#isBusy ? samplesToFree : samplesToBusy)) return;
    this.#isBusy = !this.#isBusy;
    this.#otherSamples = 0;
  }
}

function overloaded(reason: ErrorReason, why: string): PosternError {
  return new PosternError(reason, `The service is overloaded (${why}). Nothing was performed. Retry shortly`, {
    retryAfterSeconds,
  });
}
