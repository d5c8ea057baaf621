import type { RequestListener } from 'node:http';
import { CursorSealer } from '../actions/paging/cursor.ts';
import { ActionPipeline } from '../actions/pipeline/action-pipeline.ts';
import { actions, streams } from '../actions/registry.ts';
import { type Demo, ensureDemoAccount, makeDemo } from '../api/demo/demo.ts';
import { graphqlHandler } from '../api/graphql/http.ts';
import type { GraphqlOptions } from '../api/graphql/server.ts';
import { readTrustedDocuments } from '../api/graphql/trusted-documents.ts';
import { BodyBudget } from '../api/http/body-budget.ts';
import { ClientAddresses } from '../api/http/client-address.ts';
import { UnauthenticatedLimit } from '../api/http/unauthenticated-limit.ts';
import { expressApp } from '../api/server/express-app.ts';
import { httpEntryPoint } from '../api/server/http-entry-point.ts';
import { Overload } from '../api/server/overload.ts';
import { AccountAdmin } from '../billing/account-admin.ts';
import { MediaService } from '../media/media-service.ts';
import { DirectMessages } from '../messaging/conversations/direct-messages.ts';
import { ChatKeyService } from '../messaging/key-recovery/chat-key-service.ts';
import { OutgoingConnections } from '../outbound/connection-limiter.ts';
import { OutboundGuard, type Resolve } from '../outbound/guard.ts';
import { readProxy } from '../outbound/proxy.ts';
import { ProxyPool } from '../outbound/proxy-pool.ts';
import { SandboxPlatform } from '../platform/sandbox/adapter.ts';
import { maxResponseBytes } from '../platform/sandbox/client.ts';
import { readDemoDataset } from '../platform/sandbox/demo-dataset.ts';
import type { startSandboxWorker } from '../sandbox/worker-host.ts';
import type { Config } from '../shared/config/config.ts';
import { isLoopbackHost } from '../shared/model/loopback.ts';
import { type Logger, makeLogger } from '../shared/observability/logger.ts';
import { Metrics } from '../shared/observability/metrics.ts';
import { type Runtime, systemRuntime } from '../shared/runtime/runtime.ts';
import { tightenMode } from '../shared/secrets/private-path.ts';
import { deriveKey } from '../shared/secrets/secret-key-file.ts';
import { TaskPool, type TaskPoolOptions } from '../shared/threads/task-pool.ts';
import type { Store } from '../store/port.ts';
import { openSecretKeys } from './open-secret-keys.ts';
import { openServiceStore } from './open-store.ts';
import { startBilling } from './start-billing.ts';
import { startSandbox } from './start-sandbox.ts';
import { startWebhooks } from './start-webhooks.ts';

const graphqlPath = '/graphql';

/** The share of a platform call's time in which a caller's proxy must open the tunnel. */
const tunnelShare = 2 / 3;

/** Parts that tests replace. */
export interface Overrides {
  runtime?: Runtime;
  logger?: Logger;
  openStore?: () => Store | Promise<Store>;
  startSandbox?: typeof startSandboxWorker;
  tasks?: Partial<TaskPoolOptions>;
  /** Resolves the host names of callers' addresses. */
  resolve?: Resolve;
}

/** The whole service, apart from listening. */
export interface App {
  readonly handler: RequestListener;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Sets the origin at which the app is reached, and returns the demo credentials, which the pages show from then on. */
  announce(origin: string): Demo;
  /** Calls `listener` if a required part has died, such as the thread of the store. */
  onFailure(listener: (error: Error) => void): void;
  /** Ends the live streams, which would otherwise never end. */
  endStreams(): void;
  /** Flushes and closes all parts. To be called when no request is in flight. */
  close(): Promise<void>;
}

/** Creates the service from its parts. No other code knows all of them. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  // Wrong settings must fail before any part is opened.
  const options = graphqlOptions(config);
  const runtime = overrides.runtime ?? systemRuntime;
  const logger = overrides.logger ?? makeLogger(config.log);
  const closers: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const closer of closers.reverse()) await closer();
  };
  try {
    tightenMode(config.dataDir, 0o700, (path, mode) =>
      logger.warn({ path, mode }, 'other users could look into DATA_DIR; its mode is 0700 now'),
    );
    const failures = new Failures();
    // The sandbox takes longest to start, so it begins first and the store opens meanwhile.
    const starting = startSandbox(config, overrides.startSandbox);
    closers.push(async () => (await starting?.catch(() => null))?.close());
    const store = (await overrides.openStore?.()) ?? (await openServiceStore(config, failures.tell));
    closers.push(() => store.close());
    const secretKeys = await openSecretKeys(config, { check: store.secretCheck, runtime, logger });

    const sandbox = await starting;
    sandbox?.onExit(failures.tell);
    const sandboxUrl = config.platform.url ?? sandbox?.url ?? '';
    const metrics = new Metrics();
    const connections = new OutgoingConnections();
    metrics.watchConnections(() => connections.open);
    const { guard, proxies } = makeOutbound(config, runtime, connections, overrides);
    closers.push(() => proxies.close());
    const media = new MediaService({ guard, proxies, connections, runtime, folder: config.dataDir });
    closers.push(() => media.close());
    const platform = new SandboxPlatform({
      origin: sandboxUrl,
      timeoutMs: config.platform.timeoutMs,
      runtime,
      proxies,
      counter: connections.platform,
      onRequest: (operation, outcome, ms) => metrics.platformRequestEnded(operation, outcome, ms),
    });
    closers.push(() => platform.close());

    const billing = await startBilling({
      ...{ store, runtime, logger, metrics, secretKeys },
      rateLimit: config.rateLimit,
      maxStreamsPerKey: config.maxStreamsPerKey,
      maxConcurrentRequests: config.limits.concurrentRequests,
      repeatable: platform.honoursTokens,
    });
    closers.push(() => billing.close());
    const chatKeys = new ChatKeyService({ runtime });
    closers.push(() => chatKeys.close());
    const directMessages = new DirectMessages({ chatKeys, runtime });
    const webhooks = await startWebhooks({
      ...{ store, platform, guard, connections, runtime, logger, metrics, secretKeys, directMessages },
      allowLocalhost: config.webhooks.allowLocalhost,
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
      webhooks: webhooks.service,
      platform,
      media,
      directMessages,
      tasks,
      cursors: new CursorSealer(secretKeys.map((key) => deriveKey(key, 'cursors'))),
      readProxy: (text) => readProxy(text, guard),
      runtime,
    });
    const dataset = await readDemoDataset(sandboxUrl, config.platform.timeoutMs);
    const apiKey = await ensureDemoAccount(new AccountAdmin(store, runtime), store, runtime.now(), dataset.seed);
    let demo: Demo | null = null;
    let origin: string | null = null;

    const { limits } = config;
    const overload = new Overload({
      runtime,
      maxEventLoopDelayMs: limits.eventLoopDelayMs,
      maxRequestsInFlight: limits.requestsInFlight,
    });
    closers.push(() => overload.close());
    const unauthenticated = new UnauthenticatedLimit({
      keys: billing.keys,
      addresses: new ClientAddresses(limits.trustedProxies),
      limit: limits.unauthenticated,
      runtime,
      processes: billing.processes,
    });
    const bodies = new BodyBudget();
    const express = expressApp({
      logger,
      metrics,
      metricsToken: config.secrets.metricsToken,
      rest: { pipeline, ...billing, bodies, actions: [...actions, ...streams] },
      health: { store, platform, runtime },
      home: { actions: [...actions, ...streams], demo: () => demo },
      documents: { publicUrl: () => config.publicUrl ?? (isLoopbackHost(config.host) ? origin : null) },
    });
    const graphql = graphqlHandler({ pipeline, media, ...billing, bodies, runtime, logger, options });
    return {
      handler: httpEntryPoint({ runtime, logger, metrics, unauthenticated, overload, graphqlPath, graphql, express }),
      ...{ logger, metrics },
      announce: (address) => {
        origin = address;
        demo = makeDemo(address, sandboxUrl, apiKey, dataset);
        return demo;
      },
      onFailure: failures.listen,
      endStreams: webhooks.endStreams,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function graphqlOptions({ graphql }: Config): GraphqlOptions {
  const { trustedDocuments: file, trustedOnly: only } = graphql;
  return { ...graphql, trusted: file === null ? null : { documents: readTrustedDocuments(file), only } };
}

/** Collects the failures of required parts for the listener, also those before it listens. */
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

function makeOutbound(
  { outboundAllow: allow, platform }: Config,
  runtime: Runtime,
  connections: OutgoingConnections,
  { resolve }: Overrides,
) {
  const guard = new OutboundGuard({ allow, runtime, ...(resolve && { resolve }) });
  // Shorter than the deadline of the call, so that the error names the proxy.
  const timeoutMs = Math.min(10_000, Math.ceil(platform.timeoutMs * tunnelShare));
  return { guard, proxies: new ProxyPool({ guard, connections, runtime, maxResponseBytes, timeoutMs }) };
}
