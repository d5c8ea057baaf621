import type { Readable } from 'node:stream';
import { OutgoingConnections } from '../outbound/connection-limiter.ts';
import { guardedAgent } from '../outbound/connector.ts';
import type { OutboundGuard } from '../outbound/guard.ts';
import type { ForwardProxy } from '../outbound/proxy.ts';
import { maxReceivedBytes, type ProxyPool } from '../outbound/proxy-pool.ts';
import { malformedField } from '../shared/errors/fields.ts';
import type { TakenMedia } from '../shared/model/taken-media.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import { Semaphore } from '../shared/runtime/semaphore.ts';
import { decodeMedia } from './base64.ts';
import { fetchMedia } from './fetch.ts';
import { asFieldFault } from './media-error.ts';
import { MediaQuota, type MediaQuotaLimits } from './media-quota.ts';
import { claimsOf, MediaReader } from './media-reader.ts';
import type { MediaSource, MediaUploader, UploadRules } from './media-uploader.ts';
import { ReceivedFile } from './received-file.ts';
import { Spool } from './spool.ts';
import { defaultTransferLimits, TransferDeadline, type TransferLimits } from './transfer-deadline.ts';
import { largestOfKind } from './types.ts';

export interface MediaServiceOptions {
  guard: OutboundGuard;
  proxies: ProxyPool;
  connections?: OutgoingConnections;
  runtime: Runtime;
  /** Media is stored here while it is checked. Not the system's folder for temporary files, which may be in memory. */
  folder: string;
  transferLimits?: TransferLimits;
  quotaLimits?: MediaQuotaLimits;
}

/** The call that media is taken for. */
export interface UploadCall {
  /** The account that pays. The media counts against its quota. */
  account: string;
  proxy: ForwardProxy | null;
  /** Aborted when the caller hangs up. */
  signal: AbortSignal;
}

/** Images that are inspected at a time. An inspection keeps the whole image in memory, up to 15 MiB. */
const imagesAtOnce = 2;

const connectMs = 10_000;

/** Takes media from callers for the whole process, with an uploader for each call. */
export class MediaService {
  readonly #options: MediaServiceOptions;
  readonly #direct: ReturnType<typeof guardedAgent>;
  readonly #imageTurns = new Semaphore(imagesAtOnce);
  readonly #quota: MediaQuota;

  constructor(options: MediaServiceOptions) {
    this.#options = options;
    this.#quota = new MediaQuota(options.quotaLimits);
    // `TransferDeadline` limits the time of everything after the connection.
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
          throw asFieldFault(error, rules.field);
        }
      },
    };
  }

  /**
   * Stores a file that comes with a request. Throws `bad_input` if it is larger than the largest kind of media, and
   * `rate_limited` if the quota is used up.
   */
  async receive(
    body: Readable,
    { declaredType, field, account }: { declaredType: string | null; field: string; account: string },
  ): Promise<ReceivedFile> {
    const spool = await Spool.open(this.#options.folder, this.#quota.take(account), { hashed: true });
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        await spool.write(chunk);
        if (spool.size > largestOfKind.video) throw malformedField(field, 'is larger than anything that is taken');
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
    return await new MediaReader(spool, claims, rules).finish(this.#imageTurns, false);
  }

  async #takeNew(
    source: Exclude<MediaSource, { file: ReceivedFile }>,
    rules: UploadRules,
    call: UploadCall,
  ): Promise<TakenMedia> {
    const spool = await Spool.open(this.#options.folder, this.#quota.take(call.account));
    try {
      const reader = 'url' in source ? await this.#fetch(source, spool, rules, call) : await keep(source, spool, rules);
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
    const { guard, proxies, runtime, transferLimits: limits = defaultTransferLimits } = this.#options;
    const deadline = new TransferDeadline(
      runtime,
      limits,
      rules.signal ? AbortSignal.any([signal, rules.signal]) : signal,
    );
    let reader: MediaReader | undefined;
    try {
      const route = { account, guard, direct: this.#direct, proxies, proxy };
      await fetchMedia(source.url, route, deadline, async ({ body, type }) => {
        const by = 'the Content-Type of its answer';
        reader = new MediaReader(spool, claimsOf(source, { type, by, ofServer: true }), rules);
        await reader.fill(body, (bytes) => deadline.received(bytes));
      });
    } finally {
      deadline.end();
    }
    return reader ?? new MediaReader(spool, [], rules);
  }
}

async function keep(
  source: Extract<MediaSource, { base64: string }>,
  spool: Spool,
  rules: UploadRules,
): Promise<MediaReader> {
  const { slices, type } = await decodeMedia(source.base64);
  const reader = new MediaReader(spool, claimsOf(source, { type, by: 'its data: URI', ofServer: false }), rules);
  await reader.fill(slices);
  return reader;
}
