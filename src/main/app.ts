import type { RequestListener } from 'node:http';
import { describeCapabilities } from '../actions/account/capabilities.ts';
import { CursorSealer } from '../actions/paging/cursor.ts';
import { ActionPipeline } from '../actions/pipeline/action-pipeline.ts';
import { actions, streams } from '../actions/registry.ts';
import { eventStream } from '../actions/webhook/stream.ts';
import { type Demo, demoAccountId, demoConnection, demoKeyId, ensureDemoAccount, makeDemo } from '../api/demo/demo.ts';
import type { GraphqlOptions } from '../api/graphql/server.ts';
import { BodyBudget } from '../api/http/body-budget.ts';
import { ClientAddresses } from '../api/http/client-address.ts';
import { UnauthenticatedLimit } from '../api/http/unauthenticated-limit.ts';
import { restBase, restListener } from '../api/rest/router.ts';
import { Cors } from '../api/server/cors.ts';
import { expressApp } from '../api/server/express-app.ts';
import { httpEntryPoint } from '../api/server/http-entry-point.ts';
import { Overload } from '../api/server/overload.ts';
import { AccountAdmin } from '../billing/account-admin.ts';
import type { ConnectionService } from '../connections/connection-service.ts';
import { MediaService } from '../media/media-service.ts';
import { DirectMessages } from '../messaging/conversations/direct-messages.ts';
import { ChatKeyService } from '../messaging/key-recovery/chat-key-service.ts';
import { OutgoingConnections } from '../outbound/connection-limiter.ts';
import { OutboundGuard, type Resolve } from '../outbound/guard.ts';
import { readProxy } from '../outbound/proxy.ts';
import { ProxyPool } from '../outbound/proxy-pool.ts';
import { adapters } from '../platform/adapters.ts';
import { maxResponseBytes } from '../platform/http/answer.ts';
import { readDemoDataset } from '../platform/sandbox/demo-dataset.ts';
import type { startSandboxWorker } from '../sandbox/worker-host.ts';
import type { Config } from '../shared/config/config.ts';
import { removedSettings } from '../shared/config/settings.ts';
import { isLoopbackHost } from '../shared/model/loopback.ts';
import { microsPerDollar } from '../shared/model/money.ts';
import { type Logger, makeLogger } from '../shared/observability/logger.ts';
import { Metrics } from '../shared/observability/metrics.ts';
import type { Tracing } from '../shared/observability/tracing.ts';
import { pendingTimers, type Runtime, sleep, systemRuntime } from '../shared/runtime/runtime.ts';
import { Secret } from '../shared/secrets/secret.ts';
import { derivePurposeKey } from '../shared/secrets/secret-key-file.ts';
import { TaskPool, type TaskPoolOptions } from '../shared/threads/task-pool.ts';
import { version } from '../shared/version.ts';
import type { Store } from '../store/port.ts';
import { tracedStore } from '../store/traced-store.ts';
import { lazyGraphql } from './lazy-graphql.ts';
import { lazyListener } from './lazy-listener.ts';
import { openSecretKeys } from './open-secret-keys.ts';
import { openServiceStore } from './open-store.ts';
import { startBilling } from './start-billing.ts';
import { issuerOf, startConnections } from './start-connections.ts';
import { startEmbeddedSandbox } from './start-sandbox.ts';
import { startWebhooks } from './start-webhooks.ts';

const graphqlPath = '/graphql';
const mcpPath = '/mcp';
const mcpPieces = [() => import('../mcp/tools.ts'), () => import('../mcp/server.ts')];
const calls = [...actions, ...streams];
const streamPath = `${restBase}${eventStream.path}`;

/** The fraction of a platform call's timeout in which a caller's proxy must open the tunnel. */
const tunnelShare = 2 / 3;

/** Dependencies that tests and `postern serve` replace. */
export interface Overrides {
  runtime?: Runtime;
  logger?: Logger;
  openStore?: () => Store | Promise<Store>;
  startSandbox?: typeof startSandboxWorker;
  tasks?: Partial<TaskPoolOptions>;
  /** Resolves the host names in URLs of callers. */
  resolve?: Resolve;
  /** Accepts key realms with a fast hash of PINs. */
  allowsFastHashing?: boolean;
  /** The maximum number of open connections. */
  maxConnections?: number;
}

/** The whole service without its HTTP server. */
export interface App {
  readonly handler: RequestListener;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Sets the origin at which the app is reachable. Returns the demo credentials, which the pages show from then on, or `null` without a sandbox. */
  announce(origin: string): Demo | null;
  /** Loads the code that requests would load otherwise, which stops the event loop for up to 100 ms. */
  warmUp(): Promise<void>;
  /** Calls `listener` if a required part has died, such as the thread of the store. */
  onFailure(listener: (error: Error) => void): void;
  /** Ends the live streams, which never end on their own. */
  endStreams(): void;
  /** Flushes and closes all parts. Must be called when no request is running. */
  close(): Promise<void>;
}

/** Returns a function that counts calls which fail because the operator's credit at the platform is used up, and warns once a minute. */
function creditWarning(metrics: Metrics, logger: Logger, runtime: Runtime): () => void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return () => {
    metrics.platformCreditExhausted();
    if (runtime.now() - warnedAt < 60_000) return;
    warnedAt = runtime.now();
    logger.warn(
      'the credit at the platform, or the cap on it, is used up: the platform refuses calls until it is raised',
    );
  };
}

/** Creates the service and connects all its parts. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  // Invalid settings must be detected before any part is opened.
  const options = await graphqlOptions(config);
  const runtime = overrides.runtime ?? systemRuntime;
  let tracing: Tracing | null = null;
  const fields = config.traces ? () => tracing?.logFields() ?? {} : undefined;
  const logger = overrides.logger ?? makeLogger({ ...config.log, fields });
  const closers: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const closer of closers.reverse()) await closer();
  };
  try {
    if (config.dataDir !== config.demoDir) {
      logger.warn(
        { path: config.dataDir },
        'DATA_DIR is a folder with other files or with access by other users, so Postern works in its subfolder',
      );
    }
    for (const name of config.removed) logger.warn(`${name} has no effect any more: ${removedSettings[name]}`);
    const failures = new Failures();
    if (config.traces) {
      const opened = await openTracing(config.traces, { runtime, logger });
      tracing = opened;
      closers.push(() => closeTracing(opened, runtime));
    }
    // The sandbox takes longest to start, so it starts first, and the store is opened in the meantime.
    const starting = startEmbeddedSandbox(config, overrides.startSandbox);
    closers.push(async () => (await starting?.catch(() => null))?.close());
    const opened = (await overrides.openStore?.()) ?? (await openServiceStore(config, failures.tell));
    closers.push(() => opened.close());
    const store = tracing ? tracedStore(opened, tracing) : opened;
    const secretKeys = await openSecretKeys(config, { check: store.secretCheck, runtime, logger });

    const sandbox = await starting;
    sandbox?.onExit(failures.tell);
    const platformUrl = config.platform.url ?? sandbox?.url ?? '';
    const metrics = new Metrics();
    const storeName = config.secrets.mongodbUrl === null ? 'SQLite' : 'MongoDB';
    metrics.describe({ version, platform: config.platform.kind, store: storeName });
    const connections = new OutgoingConnections();
    metrics.watchConnections(() => connections.open);
    metrics.watchTimers(pendingTimers);
    const { guard, proxies } = makeOutbound(config, runtime, connections, overrides);
    closers.push(() => proxies.close());
    const connecting = startConnections({
      store,
      runtime,
      logger,
      secretKeys,
      issuer: issuerOf(config),
      onChange: (account, id) => webhooks.service.renewPollers(account, id),
      sealEnd: ({ account, key, fields }) =>
        webhooks.accountEvents.seal({ account, type: 'connection.expired', key, fields }),
    });
    const adapterOptions = {
      logins: connecting.logins,
      runtime,
      proxies,
      guard,
      connections,
      secretKeys,
      origin: platformUrl,
      timeoutMs: config.platform.timeoutMs,
      onCreditExhausted: creditWarning(metrics, logger, runtime),
      onCost: (priceClass: string, micros: number) =>
        metrics.platformCost.inc({ class: priceClass }, micros / microsPerDollar),
      state: store.platformState,
      identifiers: store.identifiers,
      onRequest: (operation: string, outcome: string, ms: number) =>
        metrics.platformRequestEnded(operation, outcome, ms),
      tracing,
      allowsFastHashing: overrides.allowsFastHashing,
    };
    const platform = await adapters[config.platform.kind].open(adapterOptions, config);
    closers.push(() => platform.close());
    closers.push(() => connecting.close());
    let origin: string | null = null;
    const canSignIn = config.publicUrl !== null || isLoopbackHost(config.host);
    const publicUrl = () => config.publicUrl ?? (canSignIn ? origin : null);
    const userConnections = connecting.open(platform, publicUrl, config);
    metrics.watchAppLimits(() => platform.appLimitsLeft?.() ?? {});
    const media = new MediaService({
      guard,
      proxies,
      connections,
      runtime,
      largest: platform.capabilities.limits.mediaBytes,
      folder: config.dataDir,
    });
    closers.push(() => media.close());

    const { limits } = config;
    const overload = new Overload({
      runtime,
      maxEventLoopDelayMs: limits.eventLoopDelayMs,
      maxRequestsInFlight: limits.requestsInFlight,
    });
    closers.push(() => overload.close());
    const billing = await startBilling({
      store,
      runtime,
      logger,
      metrics,
      tracing,
      secretKeys,
      rateLimit: config.rateLimit,
      failedCallLimit: limits.failedCalls,
      maxStreamsPerKey: config.maxStreamsPerKey,
      maxConcurrentRequests: limits.concurrentRequests,
      keyShare: () => overload.keyShare,
      repeatable: platform.honoursTokens,
      publicKey: config.platform.demo ? demoKeyId : null,
    });
    closers.push(() => billing.close());
    const chatKeys = new ChatKeyService({ runtime });
    closers.push(() => chatKeys.close());
    const directMessages = new DirectMessages({ chatKeys, runtime });
    const webhooks = await startWebhooks({
      store,
      platform,
      guard,
      connections,
      runtime,
      logger,
      metrics,
      tracing,
      secretKeys,
      directMessages,
      logins: connecting.logins,
      allowLocalhost: config.webhooks.allowLocalhost,
      eventLimits: config.eventLimits,
      activityWaitMs: config.platform.waitMs,
    });
    closers.push(() => webhooks.close());
    const tasks = new TaskPool({
      runtime,
      worker: new URL('./task-worker.js', import.meta.url),
      onError: (err) => logger.error({ err }, 'a worker thread died'),
      ...overrides.tasks,
    });
    closers.push(() => tasks.close());
    const pipeline = new ActionPipeline({
      ...billing,
      connections: userConnections.service,
      logins: connecting.logins,
      webhooks: webhooks.service,
      platform,
      capabilities: describeCapabilities(calls, canSignIn ? platform : { capabilities: platform.capabilities }),
      media,
      directMessages,
      tasks,
      cursors: new CursorSealer(secretKeys.map((key) => derivePurposeKey(key, 'cursors'))),
      readProxy: (text) => readProxy(text, guard),
      runtime,
    });
    const demoAt = config.platform.demo
      ? await prepareDemo(config, platformUrl, store, runtime, userConnections.service)
      : () => null;
    let demo: Demo | null = null;

    const addresses = new ClientAddresses(limits.trustedProxies);
    const authentication = { keys: billing.keys, addresses, streamTokens: billing.streamTokens, streamPath };
    const unauthenticated = new UnauthenticatedLimit({
      ...authentication,
      limit: limits.unauthenticated,
      counters: billing.counters,
    });
    const bodies = new BodyBudget();
    const express = expressApp({
      logger,
      metrics,
      metricsToken: config.secrets.metricsToken,
      health: { store, platform, runtime },
      home: {
        actions: calls,
        platform: { kind: config.platform.kind, host: new URL(platformUrl).host },
        store: storeName,
        publicUrl,
        demo: () => demo,
      },
      connect: { signIn: userConnections.flow, publicUrl },
    });
    const rest = restListener({ pipeline, ...billing, ...authentication, bodies, logger, actions: calls });
    const graphql = lazyGraphql({ pipeline, media, ...billing, ...authentication, bodies, runtime, logger, options });
    const { listener: mcp, warmUp: warmUpMcp } = lazyListener('MCP', logger, mcpPieces, async () => {
      const { mcpHandler } = await import('../api/mcp/http.ts');
      return mcpHandler({ pipeline, ...billing, ...authentication, bodies, runtime, logger });
    });
    return {
      handler: httpEntryPoint({
        runtime,
        logger,
        metrics,
        tracing,
        unauthenticated,
        overload,
        cors: makeCors(config),
        hasLocalDemo: config.platform.demo && isLoopbackHost(config.host) && config.publicUrl === null,
        graphqlPath,
        graphql,
        mcpPath,
        mcp,
        rest,
        express,
      }),
      logger,
      metrics,
      announce: (address) => {
        origin = address;
        demo = demoAt(address);
        return demo;
      },
      warmUp: () => graphql.warmUp().then(warmUpMcp),
      onFailure: failures.listen,
      endStreams: webhooks.endStreams,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates the demo account and its connections. Returns a function that returns the demo credentials for the origin of the service. */
async function prepareDemo(
  { platform }: Config,
  sandboxUrl: string,
  store: Store,
  runtime: Runtime,
  connections: ConnectionService,
) {
  const dataset = await readDemoDataset(sandboxUrl, platform.timeoutMs);
  const apiKey = await ensureDemoAccount(new AccountAdmin(store, runtime), store, runtime.now(), dataset.seed);
  for (const account of dataset.accounts) {
    const { userId, userName, name, profilePicture, authToken } = account;
    const user = { id: userId, userName, name, profilePicture };
    await connections.provide(demoAccountId, demoConnection(dataset, account), user, new Secret(authToken));
  }
  return (origin: string): Demo => makeDemo(origin, sandboxUrl, apiKey, dataset);
}

async function graphqlOptions({ graphql }: Config): Promise<GraphqlOptions> {
  const { trustedDocuments: file, trustedOnly: only } = graphql;
  if (file === null) return { ...graphql, trusted: null };
  const { readTrustedDocuments } = await import('../api/graphql/document/trusted-documents.ts');
  return { ...graphql, trusted: { documents: readTrustedDocuments(file), only } };
}

/** Collects failures of required parts for the listener, including failures before the listener is set. */
class Failures {
  readonly #happened: Error[] = [];
  #listener: ((error: Error) => void) | undefined;

  readonly tell = (error: Error): void => {
    this.#happened.push(error);
    this.#listener?.(error);
  };

  readonly listen = (listener: (error: Error) => void): void => {
    this.#listener = listener;
    for (const error of this.#happened) listener(error);
  };
}

function makeCors({ corsOrigins }: Config): Cors | null {
  const methods = calls.map(({ method }) => method);
  return corsOrigins.length > 0 ? new Cors(corsOrigins, methods) : null;
}

function makeOutbound(
  { outboundAllow: allow, platform }: Config,
  runtime: Runtime,
  connections: OutgoingConnections,
  { resolve }: Overrides,
) {
  const guard = new OutboundGuard({ allow, runtime, ...(resolve && { resolve }) });
  // The timeout is shorter than that of the whole call, so that the error refers to the proxy.
  const timeoutMs = Math.min(10_000, Math.ceil(platform.timeoutMs * tunnelShare));
  return { guard, proxies: new ProxyPool({ guard, connections, runtime, maxResponseBytes, timeoutMs }) };
}

/** The time in milliseconds that a stopping service waits for the collector. */
const closeMs = 2_000;

/** Loads OpenTelemetry and starts to export traces. The import is dynamic, because most installations have no collector. */
async function openTracing(
  { endpoint, protocol }: NonNullable<Config['traces']>,
  { runtime, logger }: { runtime: Runtime; logger: Logger },
): Promise<Tracing> {
  const { openTelemetry } = await import('../shared/observability/open-telemetry.ts');
  const instance = runtime.randomBytes(9).toString('base64url');
  const tracing = await openTelemetry({ protocol, version, instance, logger });
  logger.info({ endpoint, protocol }, 'traces are exported');
  return tracing;
}

/** Sends the last spans, for at most `closeMs`. */
async function closeTracing(tracing: Tracing, runtime: Runtime): Promise<void> {
  await Promise.race([tracing.close().catch(() => {}), sleep(runtime, closeMs)]);
}
