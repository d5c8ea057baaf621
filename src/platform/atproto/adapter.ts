import { mainSchema as describeServer } from '@atcute/atproto/types/server/describeServer';
import { guardedAgent } from '../../outbound/connector.ts';
import { derivePurposeKey } from '../../shared/secrets/secret-key-file.ts';
import { Vault } from '../../shared/secrets/vault.ts';
import type { AdapterOptions } from '../adapters.ts';
import { usualLimits } from '../http/answer.ts';
import { Transport } from '../http/transport.ts';
import type { Platform, PlatformCall, PlatformSession } from '../port.ts';
import { ActivityFeeds } from './activity.ts';
import { AtprotoArticles } from './articles.ts';
import { atprotoCapabilities } from './capabilities.ts';
import { Deletions } from './deletions.ts';
import { DidResolver } from './did-resolver.ts';
import { HashedIds, Ids } from './ids.ts';
import { Jetstream, maxWatched } from './jetstream.ts';
import { Logins } from './logins.ts';
import { MediaStore } from './media.ts';
import { Records } from './records.ts';
import { readPostUrl } from './references.ts';
import { ServerSession } from './server-session.ts';
import { AtprotoSession } from './session.ts';
import { XrpcClient } from './xrpc.ts';

const connectMs = 10_000;
/** The limit of bytes received for one request, including those of chunks. */
const maxReceivedBytes = 2 * usualLimits.bytes;

interface AtprotoOptions extends AdapterOptions {
  /** The origin of the DID directory. */
  plcUrl: string;
  /** The origin of a Jetstream; `null` if there is none. */
  jetstreamUrl: string | null;
}

/** The adapter for the AT Protocol, whose largest network is Bluesky. */
export class AtprotoPlatform implements Platform {
  readonly capabilities = atprotoCapabilities;
  /**
   * True, because record keys derive from the idempotency token, so that a repeated write finds the record of the first
   * one.
   */
  readonly honoursTokens = true;
  readonly maxWaitingCalls: number;
  readonly callersChooseServers = true;
  readonly quietActorsWait: boolean;
  /** Servers accept 3,000 requests from one address in 5 minutes. */
  readonly minPollMs = 3_000;
  readonly tweetUrlForm = 'https://bsky.app/profile/<handle>/post/<key>';
  readonly #service: { readonly origin: string; readonly chosenBy: 'operator' };
  readonly #transport: Transport;
  readonly #xrpc: XrpcClient;
  readonly #dids: DidResolver;
  readonly #logins: Logins;
  readonly #media: MediaStore;
  readonly #deletions: Deletions;
  readonly #hashedIds: HashedIds;
  readonly #feeds: ActivityFeeds;
  readonly #jetstream: Jetstream | null;
  readonly #now: () => number;

  constructor(options: AtprotoOptions) {
    const { runtime, proxies, guard, connections, secretKeys, timeoutMs, onRequest, tracing = null } = options;
    const [key] = secretKeys;
    if (!key) throw new Error('logins need a secret key');
    this.#now = () => runtime.now();
    this.#service = { origin: new URL(options.origin).origin, chosenBy: 'operator' };
    const limiter = connections.accountServers;
    this.#transport = new Transport({
      runtime,
      proxies,
      timeoutMs,
      onRequest,
      tracing,
      counter: connections.platform,
      guarded: guardedAgent({
        guard,
        limiter,
        keepAlive: true,
        timeoutMs: Math.min(connectMs, timeoutMs),
        maxReceivedBytes,
      }),
    });
    this.#xrpc = new XrpcClient(this.#transport, this.#now);
    this.#hashedIds = new HashedIds(options.identifiers);
    this.#dids = new DidResolver({
      transport: this.#transport,
      plcUrl: options.plcUrl,
      service: this.#service,
      now: this.#now,
    });
    const vault = new Vault(secretKeys, runtime);
    this.#media = new MediaStore({ xrpc: this.#xrpc, state: options.state, vault, now: this.#now });
    this.#jetstream =
      options.jetstreamUrl === null
        ? null
        : new Jetstream({
            origin: options.jetstreamUrl,
            runtime,
            onConnection: (outcome, ms) => onRequest('jetstream', outcome, ms),
          });
    this.maxWaitingCalls = this.#jetstream ? maxWatched : 0;
    this.quietActorsWait = this.#jetstream !== null;
    this.#feeds = new ActivityFeeds(this.#now, this.#jetstream);
    this.#deletions = new Deletions(options.state, vault);
    this.#logins = new Logins({
      runtime,
      xrpc: this.#xrpc,
      service: this.#service,
      state: options.state,
      credentials: options.logins,
      dids: this.#dids,
      vault,
      key: derivePurposeKey(key, 'logins').expose(),
    });
  }

  as(call: PlatformCall): PlatformSession {
    const ids = new Ids(this.#hashedIds);
    const actor = new ServerSession({ xrpc: this.#xrpc, logins: this.#logins, dids: this.#dids, ids }, call);
    const records = new Records(actor, this.#now);
    const media = this.#media;
    const articles = new AtprotoArticles(actor, { records, media, deletions: this.#deletions, now: this.#now });
    return new AtprotoSession(actor, { records, media, articles, feeds: this.#feeds });
  }

  isTweetUrl(url: string): boolean {
    return readPostUrl(url) !== null;
  }

  async ready(): Promise<void> {
    await this.#xrpc.as({ target: this.#service, token: null }, null)(describeServer);
  }

  async close(): Promise<void> {
    this.#jetstream?.close();
    await this.#transport.close();
  }
}
