import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { PosternError } from '../errors/postern-error.ts';
import { bodyLimitBytes, largeBodyLimitBytes } from './read-input.ts';

export interface LargeBodyLimits {
  ofAccount: number;
  ofAll: number;
}

const MiB = 1024 * 1024;
const usual: LargeBodyLimits = { ofAccount: 96 * MiB, ofAll: 256 * MiB };

/**
 * Bodies that hold media are in memory until they are answered, so there may be only so much of them: refused by its
 * length, before a byte is read. What says no length counts as the longest that is taken; small ones do not count.
 */
export class LargeBodies {
  readonly #limits: LargeBodyLimits;
  readonly #ofAccount = new Map<string, number>();
  #ofAll = 0;

  constructor(limits: LargeBodyLimits = usual) {
    this.#limits = limits;
  }

  /** For requests whose account is known. */
  bound(): RequestHandler {
    return (request: Request, response: Response, next: NextFunction) => {
      const bytes = lengthOf(request);
      if (bytes > bodyLimitBytes) this.#hold(response.locals['account'] as string, bytes, response);
      next();
    };
  }

  #hold(account: string, bytes: number, response: Response): void {
    const held = this.#ofAccount.get(account) ?? 0;
    if (held + bytes > this.#limits.ofAccount) {
      throw inFlight(
        `This account has ${mebibytes(held)} MiB of base64 media in flight, the limit is ${mebibytes(this.#limits.ofAccount)}`,
      );
    }
    if (this.#ofAll + bytes > this.#limits.ofAll) {
      throw inFlight('All callers together have too much base64 media in flight');
    }
    this.#ofAccount.set(account, held + bytes);
    this.#ofAll += bytes;
    response.once('close', () => {
      const left = (this.#ofAccount.get(account) ?? 0) - bytes;
      if (left > 0) this.#ofAccount.set(account, left);
      else this.#ofAccount.delete(account);
      this.#ofAll -= bytes;
    });
  }
}

function lengthOf({ headers }: Request): number {
  if (headers['transfer-encoding'] !== undefined) return largeBodyLimitBytes;
  return Math.min(Number(headers['content-length'] ?? 0), largeBodyLimitBytes);
}

function inFlight(what: string): PosternError {
  return new PosternError('rate_limited', `${what}: ask again once some is through, or give media by its address`, {
    retryAfterSeconds: 2,
  });
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / MiB);
}
