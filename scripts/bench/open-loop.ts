// A load client. In an open loop, requests begin at their scheduled times, even if earlier ones are still running.
import { Pool } from 'undici';

export interface LoadCall {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** The API key of the call. */
  key?: string;
  check?: (body: string) => void;
}

export interface LoadOutcome {
  key: string | undefined;
  /** 0 if the connection failed. */
  status: number;
  retryAfter: boolean;
  /** The time until the end of the response. */
  ms: number;
  /** Why the response is wrong. */
  wrong?: string;
}

/** Returns numbers in [0, 1) that depend only on the seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

/** Sends requests over kept-open connections. `pool.dispatch` is the cheapest way to send one with undici. */
export class LoadClient {
  readonly #pool: Pool;
  readonly #connections: number;

  constructor(origin: string, connections = 512) {
    this.#connections = connections;
    this.#pool = new Pool(origin, { connections, pipelining: 1 });
  }

  /** Opens all connections, because opening hundreds of them during a measurement would take this process longer than the requests. */
  async connect(): Promise<void> {
    const request = { method: 'GET' as const, path: '/healthz', headers: {} };
    await Promise.all(Array.from({ length: this.#connections }, () => this.send(request)));
  }

  /** Never rejects. */
  send({ method, path, headers, body, key, check }: LoadCall): Promise<LoadOutcome> {
    const sentAt = performance.now();
    return new Promise((resolve) => {
      let status = 0;
      let retryAfter = false;
      const chunks: Buffer[] = [];
      const end = (result: { wrong?: string }) => {
        resolve({ key, status, retryAfter, ms: performance.now() - sentAt, ...result });
      };
      this.#pool.dispatch(
        { method, path, headers, body: body ?? null },
        {
          onRequestStart() {},
          onResponseStart(_controller, code, received) {
            status = code;
            retryAfter = received['retry-after'] !== undefined;
          },
          onResponseData(_controller, chunk) {
            if (check) chunks.push(chunk);
          },
          onResponseEnd() {
            end(check && status === 200 ? checked(check, chunks) : {});
          },
          onResponseError(_controller, error) {
            status = 0;
            end({ wrong: String(error) });
          },
        },
      );
    });
  }

  /** Runs callers that each send one request after the other. Returns the results of requests that ended within `durationMs`. */
  async closedLoop({ callers, durationMs, next }: { callers: number; durationMs: number; next: () => LoadCall }) {
    const results: LoadOutcome[] = [];
    const endsAt = performance.now() + durationMs;
    const caller = async () => {
      while (performance.now() < endsAt) {
        const result = await this.send(next());
        if (performance.now() <= endsAt) results.push(result);
      }
    };
    await Promise.all(Array.from({ length: callers }, caller));
    return results;
  }

  /**
   * Sends requests at the times of a Poisson process with `rate` per second. Returns the results, and how late the requests began: a client
   * that is itself overloaded begins late.
   */
  async openLoop({
    rate,
    durationMs,
    random,
    next,
  }: {
    rate: number;
    durationMs: number;
    random: () => number;
    next: () => LoadCall;
  }) {
    const late: number[] = [];
    const results: Promise<LoadOutcome>[] = [];
    const endsAt = performance.now() + durationMs;
    for (let dueAt = performance.now(); ; ) {
      dueAt += (-Math.log(1 - random()) / rate) * 1_000;
      if (dueAt >= endsAt) return { results: await Promise.all(results), late };
      for (let waitMs = dueAt - performance.now(); waitMs > 0; waitMs = dueAt - performance.now()) {
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
      late.push(performance.now() - dueAt);
      results.push(this.send(next()));
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

function checked(check: (body: string) => void, chunks: Buffer[]): { wrong?: string } {
  try {
    check(Buffer.concat(chunks).toString());
    return {};
  } catch (error) {
    return { wrong: String(error) };
  }
}

/** Returns the value that `share` of the values do not exceed; 0 for no values. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) return 0;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
