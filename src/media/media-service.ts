import type { Readable } from 'node:stream';
import { OutgoingConnections } from '../outbound/connection-limiter.ts';
import { guardedAgent } from '../outbound/connector.ts';
import type { OutboundGuard } from '../outbound/guard.ts';
import type { ForwardProxy } from '../outbound/proxy.ts';
import { maxReceivedBytes, type ProxyPool } from '../outbound/proxy-pool.ts';
import type { MediaLimits } from '../platform/capabilities.ts';
import { malformedField } from '../shared/errors/fields.ts';
import type { TakenMedia } from '../shared/model/taken-media.ts';
import { abortSignalOf, type CancelSignal } from '../shared/runtime/cancellation.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import { Semaphore } from '../shared/runtime/semaphore.ts';
import { decodeMedia } from './base64.ts';
import { fetchMedia } from './fetch.ts';
import { toFieldError } from './media-error.ts';
import { MediaQuota, type MediaQuotaLimits } from './media-quota.ts';
import { claimsOf, MediaReader } from './media-reader.ts';
import type { MediaSource, MediaUploader, UploadRules } from './media-uploader.ts';
import { ReceivedFile } from './received-file.ts';
import { Spool } from './spool.ts';
import { defaultTransferLimits, TransferDeadline, type TransferLimits } from './transfer-deadline.ts';

export interface MediaServiceOptions {
  guard: OutboundGuard;
  proxies: ProxyPool;
  connections?: OutgoingConnections;
  runtime: Runtime;
  /**
   * The directory for temporary media files. The system's temporary directory is not used, because it may be in memory.
   */
  folder: string;
  largest: MediaLimits;
  transferLimits?: TransferLimits;
  quotaLimits?: MediaQuotaLimits;
}

/** The call for which media is read. */
export interface UploadCall {
  /** The API account that is charged for the call, whose quota the media uses. */
  account: string;
  proxy: ForwardProxy | null;
  /** Aborted when the client disconnects. */
  signal: CancelSignal;
}

/** The number of images inspected at the same time. Each inspection holds an image of up to 25 MiB in memory. */
const maxInspections = 2;

const connectMs = 10_000;

/** Reads and checks media for all calls of this process. */
export class MediaService {
  readonly #options: MediaServiceOptions;
  readonly #direct: ReturnType<typeof guardedAgent>;
  readonly #imageTurns = new Semaphore(maxInspections);
  readonly #quota: MediaQuota;

  constructor(options: MediaServiceOptions) {
    this.#options = options;
    this.#quota = new MediaQuota(options.quotaLimits);
    // `TransferDeadline` limits the time of a download after the connection is open.
    const { guard, connections = new OutgoingConnections() } = options;
    this.#direct = guardedAgent({
      guard,
      timeoutMs: connectMs,
      limiter: connections.media,
      keepAlive: false,
      maxReceivedBytes,
    });
  }

  uploader(call: UploadCall): MediaUploader {
    return {
      take: async (source, rules) => {
        try {
          if ('file' in source) return await this.#takeFile(source, rules);
          return await this.#takeNew(source, rules, call);
        } catch (error) {
          throw toFieldError(error, rules.field);
        }
      },
    };
  }

  /**
   * Stores a file that was uploaded in a request. Throws `bad_input` if it is larger than the largest kind of media,
   * and `rate_limited` if the quota is exceeded.
   */
  async receive(
    body: Readable,
    { declaredType, field, account }: { declaredType: string | null; field: string; account: string },
  ): Promise<ReceivedFile> {
    const largest = Math.max(...Object.values(this.#options.largest));
    const spool = await Spool.open(this.#options.folder, this.#quota.take(account), { hashed: true });
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        await spool.write(chunk);
        if (spool.size > largest) throw malformedField(field, 'is larger than every accepted kind of file');
      }
      return new ReceivedFile(spool, declaredType);
    } catch (error) {
      await spool.discard();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#direct.destroy();
  }

  async #takeFile(source: Extract<MediaSource, { file: ReceivedFile }>, rules: UploadRules): Promise<TakenMedia> {
    const { spool, declaredType } = source.file;
    const claims = claimsOf(source, { type: declaredType, by: 'its part of the request', ofServer: false });
    return await new MediaReader(spool, claims, rules, this.#options.largest).finish(this.#imageTurns, false);
  }

  async #takeNew(
    source: Exclude<MediaSource, { file: ReceivedFile }>,
    rules: UploadRules,
    call: UploadCall,
  ): Promise<TakenMedia> {
    const spool = await Spool.open(this.#options.folder, this.#quota.take(call.account));
    try {
      const reader =
        'url' in source ? await this.#fetch(source, spool, rules, call) : await this.#keep(source, spool, rules);
      return await reader.finish(this.#imageTurns, true);
    } catch (error) {
      await spool.discard();
      throw error;
    }
  }

  async #fetch(
    source: Extract<MediaSource, { url: string }>,
    spool: Spool,
    rules: UploadRules,
    { account, proxy, signal }: UploadCall,
  ): Promise<MediaReader> {
    const { guard, proxies, runtime, largest, transferLimits: limits = defaultTransferLimits } = this.#options;
    const gone = abortSignalOf(signal);
    const deadline = new TransferDeadline(runtime, limits, rules.signal ? AbortSignal.any([gone, rules.signal]) : gone);
    let reader: MediaReader | undefined;
    try {
      const route = { account, guard, direct: this.#direct, proxies, proxy };
      await fetchMedia(source.url, route, deadline, async ({ body, type }) => {
        const by = 'the Content-Type of its answer';
        reader = new MediaReader(spool, claimsOf(source, { type, by, ofServer: true }), rules, largest);
        await reader.fill(body, (bytes) => deadline.received(bytes));
      });
    } finally {
      deadline.end();
    }
    return reader ?? new MediaReader(spool, [], rules, largest);
  }

  async #keep(
    source: Extract<MediaSource, { base64: string }>,
    spool: Spool,
    rules: UploadRules,
  ): Promise<MediaReader> {
    const { slices, type } = await decodeMedia(source.base64);
    const claims = claimsOf(source, { type, by: 'its data: URI', ofServer: false });
    const reader = new MediaReader(spool, claims, rules, this.#options.largest);
    await reader.fill(slices);
    return reader;
  }
}
