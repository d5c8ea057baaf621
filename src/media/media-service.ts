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

export interface ReceptionOptions {
  guard: OutboundGuard;
  proxies: ProxyPool;
  connections?: OutgoingConnections;
  runtime: Runtime;
  /** Where media is kept while it is checked. On a disk: in some systems the usual place for such files is memory. */
  folder: string;
  pace?: TransferLimits;
  quota?: MediaQuotaLimits;
}

/** Whose media it is, and on which way it is fetched. */
export interface UploadCall {
  /** The account that pays and whose quota the media counts towards. */
  account: string;
  proxy: ForwardProxy | null;
  /** Aborted when the caller has gone. */
  signal: AbortSignal;
}

/** Of images that are looked at whole, which takes up to 15 MiB of memory each. */
const imagesAtOnce = 2;

const connectMs = 10_000;

/** Takes in media: one service for the process, with an uploader for each call. */
export class MediaService {
  readonly #options: ReceptionOptions;
  readonly #direct: ReturnType<typeof guardedAgent>;
  readonly #imageTurns = new Semaphore(imagesAtOnce);
  readonly #quota: MediaQuota;

  constructor(options: ReceptionOptions) {
    this.#options = options;
    this.#quota = new MediaQuota(options.quota);
    // Time limits are those of the pace.
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
   * Takes in a file that comes with a request of an account. Throws `bad_input` if it is larger than every
   * limit, and `rate_limited` if the quota for temporary files is used up.
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
      const intake = 'url' in source ? await this.#fetch(source, spool, rules, call) : await keep(source, spool, rules);
      return await intake.finish(this.#imageTurns, true);
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
    const { guard, proxies, runtime, pace: limits = defaultTransferLimits } = this.#options;
    const pace = new TransferDeadline(runtime, limits, rules.signal ? AbortSignal.any([signal, rules.signal]) : signal);
    let intake: MediaReader | undefined;
    try {
      const way = { account, guard, direct: this.#direct, proxies, proxy };
      await fetchMedia(source.url, way, pace, async ({ body, type }) => {
        const by = 'the Content-Type of its answer';
        intake = new MediaReader(spool, claimsOf(source, { type, by, ofServer: true }), rules);
        await intake.fill(body, (bytes) => pace.received(bytes));
      });
    } finally {
      pace.end();
    }
    return intake ?? new MediaReader(spool, [], rules);
  }
}

async function keep(
  source: Extract<MediaSource, { base64: string }>,
  spool: Spool,
  rules: UploadRules,
): Promise<MediaReader> {
  const { slices, type } = await decodeMedia(source.base64);
  const intake = new MediaReader(spool, claimsOf(source, { type, by: 'its data: URI', ofServer: false }), rules);
  await intake.fill(slices);
  return intake;
}
