import type { ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ErrorReason } from '../../shared/errors/reasons.ts';
import { type Runtime, repeat, type Timer } from '../../shared/runtime/runtime.ts';
import { streamOpened } from '../http/event-stream.ts';

export interface OverloadOptions {
  runtime: Runtime;
  /** The maximum mean delay of the event loop in milliseconds. Above it, requests are refused. */
  maxEventLoopDelayMs: number;
  /** The maximum number of concurrent requests. */
  maxRequestsInFlight: number;
}

const resolutionMs = 20;
const sampleMs = 500;
const retryAfterSeconds = 2;

/**
 * Requests are refused after this many consecutive samples above the limit. One sample is not enough, because a single long pause is over
 * when it is measured.
 */
const lateSamples = 3;

/**
 * Refuses new requests while the process is overloaded, so that accepted requests finish in time (the same approach as fastify's
 * under-pressure).
 */
export class Overload {
  readonly #options: OverloadOptions;
  readonly #delay = monitorEventLoopDelay({ resolution: resolutionMs });
  readonly #sampling: Timer;
  #lateSamples = 0;
  #inFlight = 0;

  constructor(options: OverloadOptions) {
    this.#options = options;
    this.#delay.enable();
    this.#sampling = repeat(options.runtime, sampleMs, async () => this.#sample());
  }

  /** Counts a request until its response has ended or has become a stream. Throws `unavailable`. */
  enter(response: ServerResponse): void {
    const { maxRequestsInFlight } = this.#options;
    if (this.#lateSamples >= lateSamples) throw overloaded('event_loop_overload', 'its event loop is delayed');
    if (this.#inFlight >= maxRequestsInFlight) {
      throw overloaded('request_overload', `${maxRequestsInFlight} requests are running`);
    }
    this.#inFlight++;
    let left = false;
    const leave = () => {
      if (left) return;
      left = true;
      this.#inFlight--;
    };
    response.once('close', leave);
    response.once(streamOpened, leave);
  }

  close(): void {
    this.#sampling.cancel();
    this.#delay.disable();
  }

  #sample(): void {
    // The mean is NaN if there is no sample, and a comparison with NaN is false.
    const meanMs = this.#delay.mean / 1e6 - resolutionMs;
    this.#delay.reset();
    this.#lateSamples = meanMs > this.#options.maxEventLoopDelayMs ? this.#lateSamples + 1 : 0;
  }
}

function overloaded(reason: ErrorReason, why: string): PosternError {
  return new PosternError(reason, `The service is overloaded (${why}). Nothing was performed. Retry shortly`, {
    retryAfterSeconds,
  });
}
