import type { ServerResponse } from 'node:http';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { unreadBytes } from '../http/end-response.ts';
import { localsOf } from '../http/request-locals.ts';

export interface UnreadOptions {
  /** A client that reads nothing for this many milliseconds is disconnected. */
  patienceMs: number;
  /** The maximum number of unread bytes of all responses together. */
  maxBytes: number;
}

const defaults: UnreadOptions = { patienceMs: 30_000, maxBytes: 128 * 1024 * 1024 };
/**
 * Progress of a response that is not written in slices is visible only when the client has read all of it. Its client therefore gets
 * `patienceMs` for each `patientBytes`.
 */
const patientBytes = 128 * 1024;

/** A response with bytes that its client has not read. */
interface Unread {
  response: ServerResponse;
  bytes: number;
  /** The number of bytes that the socket has passed to the operating system. */
  taken: number;
  /** The time of the client's last read. */
  since: number;
}

/**
 * Disconnects clients that do not read their responses, because unread responses stay in memory. If all unread responses together exceed
 * the limit, the account with the most unread bytes loses its oldest response. This is repeated until the rest fits.
 */
export class UnreadResponses {
  readonly #responses: Iterable<ServerResponse>;
  readonly #runtime: Runtime;
  readonly #options: UnreadOptions;
  #unread = new Map<ServerResponse, Unread>();

  /** `responses` contains all responses that are still open. */
  constructor(responses: Iterable<ServerResponse>, runtime: Runtime, options: UnreadOptions = defaults) {
    this.#responses = responses;
    this.#runtime = runtime;
    this.#options = options;
  }

  /** Disconnects slow clients and returns their number. Should be called about once a second. */
  sweep(): number {
    this.#look();
    const { patienceMs } = this.#options;
    const now = this.#runtime.now();
    let disconnected = 0;
    for (const unread of this.#unread.values()) {
      const { response, since } = unread;
      const times = Math.max(1, Math.ceil(response.writableLength / patientBytes));
      if (now - since < patienceMs * times) continue;
      this.#disconnect(unread);
      disconnected++;
    }
    return disconnected + this.#makeRoom();
  }

  /** Records how much each client has read since the last check. */
  #look(): void {
    const now = this.#runtime.now();
    const found = new Map<ServerResponse, Unread>();
    for (const response of this.#responses) {
      const { socket } = response;
      const bytes = unreadBytes(response);
      if (bytes === 0 || !socket) continue;
      const taken = socket.bytesWritten - socket.writableLength;
      const before = this.#unread.get(response);
      // The check for a clock that was set back prevents a client from getting more time.
      const hasRead = before?.taken !== taken || before.since > now;
      found.set(response, { response, bytes, taken, since: hasRead ? now : before.since });
    }
    this.#unread = found;
  }

  #makeRoom(): number {
    let total = 0;
    const ofAccount = new Map<string, number>();
    for (const { response, bytes } of this.#unread.values()) {
      total += bytes;
      ofAccount.set(ownerOf(response), (ofAccount.get(ownerOf(response)) ?? 0) + bytes);
    }
    if (total <= this.#options.maxBytes) return 0;
    let disconnected = 0;
    const oldestFirst = [...this.#unread.values()].sort((a, b) => a.since - b.since || b.bytes - a.bytes);
    while (total > this.#options.maxBytes) {
      const [largest] = [...ofAccount].reduce((a, b) => (b[1] > a[1] ? b : a));
      const at = oldestFirst.findIndex(({ response }) => ownerOf(response) === largest);
      const [unread] = oldestFirst.splice(at, 1);
      if (!unread) break;
      total -= unread.bytes;
      ofAccount.set(largest, (ofAccount.get(largest) ?? 0) - unread.bytes);
      this.#disconnect(unread);
      disconnected++;
    }
    return disconnected;
  }

  #disconnect({ response }: Unread): void {
    this.#unread.delete(response);
    response.req.socket.destroy();
  }
}

function ownerOf(response: ServerResponse): string {
  const { account } = localsOf(response);
  return account ?? response.req.socket.remoteAddress ?? '';
}
