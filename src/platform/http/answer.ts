import type { Answer } from '../../outbound/exchange.ts';
import {
  decodeUntrustedJson,
  JsonLimitError,
  type JsonLimits,
  jsonErrorReason,
  requestLimits,
} from '../../shared/json/untrusted-json.ts';
import { InvalidResponseError } from './errors.ts';

/** The limits of a response. A response that exceeds one is refused before it is parsed. */
export interface AnswerLimits extends JsonLimits {
  /** The maximum size of the body in bytes. */
  readonly bytes: number;
}

/**
 * The limits of a response if its request names no others. `JSON.parse` takes 10 to 30 ms for the slowest of such responses. They are not
 * parsed in a worker thread, because the structured clone from there would take longer.
 */
export const usualLimits: AnswerLimits = {
  ...requestLimits,
  bytes: 4 * 1024 * 1024,
  values: 200_000,
  escapes: 500_000,
};

/** The maximum of `AnswerLimits.bytes`. */
export const maxResponseBytes = 16 * 1024 * 1024;

/** Returns the limits of a response with a page of `count` items, each of up to `maxItemBytes` if they are large. */
export function pageLimits(count: number, maxItemBytes = 0): Partial<AnswerLimits> {
  return {
    bytes: Math.min(maxResponseBytes, Math.max(usualLimits.bytes, count * maxItemBytes)),
    values: Math.min(usualLimits.values, 20_000 + count * 2_000),
  };
}

/** The limits of a response with one object, such as a tweet of 25,000 characters that quotes another one. */
export const singleLimits = { bytes: 256 * 1024, values: 20_000 };

/** The limits of a response with a few short fields. */
export const smallLimits = { bytes: 64 * 1024, values: 2_000 };

/** The limits of an error response. */
const errorLimits: AnswerLimits = { ...usualLimits, ...smallLimits };

/** A body of up to this size from the operator's own platform is parsed without a check, which would take half the time of parsing. */
const uncheckedBytes = 256 * 1024;

/** A response of a platform, whose body is JSON. */
export class PlatformAnswer implements Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly rateLimitReset: string | null;
  readonly rateLimitRemaining: string | null;
  readonly headers: Answer['headers'];
  readonly body: Buffer;
  readonly #limits: AnswerLimits;
  readonly #isOwn: boolean;

  /**
   * `limits` are those of a successful response. `isOwn` is true for a response that came directly from the operator's own platform.
   */
  constructor(answer: Answer, limits: AnswerLimits, isOwn: boolean) {
    this.status = answer.status;
    this.retryAfter = answer.retryAfter;
    this.rateLimitReset = answer.rateLimitReset;
    this.rateLimitRemaining = answer.rateLimitRemaining;
    this.headers = answer.headers;
    this.body = answer.body;
    this.#limits = answer.status < 300 ? limits : errorLimits;
    this.#isOwn = isOwn;
  }

  /** Returns the body as text, whose limits are checked. Throws `InvalidResponseError`. */
  async text(): Promise<string> {
    const { body } = this;
    if (body.length > this.#limits.bytes) throw refused(`has more than ${this.#limits.bytes} bytes`);
    if (this.#isOwn && body.length <= uncheckedBytes) return body.toString();
    try {
      return await decodeUntrustedJson(body, this.#limits);
    } catch (error) {
      throw error instanceof JsonLimitError ? refused(error.message) : error;
    }
  }

  /** Parses the body. Throws `InvalidResponseError` if it exceeds a limit or is not JSON. */
  async json(): Promise<unknown> {
    const text = await this.text();
    try {
      return JSON.parse(text);
    } catch (error) {
      throw refused(jsonErrorReason(error));
    }
  }
}

function refused(reason: string): InvalidResponseError {
  return new InvalidResponseError(`the body ${reason}`);
}
