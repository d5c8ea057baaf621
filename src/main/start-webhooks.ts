import type { DirectMessages } from '../messaging/conversations/direct-messages.ts';
import { EventOpener } from '../messaging/conversations/event-opener.ts';
import type { OutgoingConnections } from '../outbound/connection-limiter.ts';
import type { OutboundGuard } from '../outbound/guard.ts';
import { readProxy } from '../outbound/proxy.ts';
import type { Platform } from '../platform/port.ts';
import type { Logger } from '../shared/observability/logger.ts';
import type { Metrics } from '../shared/observability/metrics.ts';
import { rarely } from '../shared/runtime/rarely.ts';
import { type Runtime, repeat } from '../shared/runtime/runtime.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import { Vault } from '../shared/secrets/vault.ts';
import type { Store } from '../store/port.ts';
import { Receivers } from '../webhooks/delivery/receiver.ts';
import { SendGate } from '../webhooks/delivery/send-gate.ts';
import { PollerHost } from '../webhooks/polling/poller-host.ts';
import { Handshakes } from '../webhooks/registration/handshakes.ts';
import { sealPlainUrls } from '../webhooks/registration/seal-plain-urls.ts';
import { WebhookService } from '../webhooks/service.ts';
import { WebhookVault } from '../webhooks/shared/secrets.ts';
import { LiveStreams } from '../webhooks/streams/live-streams.ts';

/** Old events, and pollers that nothing keeps, are removed this often. */
const sweepMs = 60_000;
/** Counted seldom, because the store reads every waiting delivery for it. */
const backlogMs = 30_000;

export interface WebhookOptions {
  store: Store;
  platform: Platform;
  guard: OutboundGuard;
  connections: OutgoingConnections;
  runtime: Runtime;
  logger: Logger;
  metrics: Metrics;
  secretKeys: readonly Secret<Buffer>[];
  allowLocalhost: boolean;
  directMessages: DirectMessages;
}

/** Starts everything about webhooks. Seals the URLs that an earlier release stored in plain text. */
export async function startWebhooks(options: WebhookOptions) {
  const { store, platform, guard, runtime, logger, metrics, allowLocalhost } = options;
  const vault = new WebhookVault(new Vault(options.secretKeys, runtime), options.secretKeys);
  await sealPlainUrls(store, vault);
  const receivers = new Receivers({ guard, runtime, allowLocalhost, connections: options.connections });
  const gate = new SendGate({ store, runtime });
  const handshakes = new Handshakes({ store, vault, receivers, runtime, gate });
  const way = { platform, readProxy: (text: Secret) => readProxy(text, guard) };
  const opener = new EventOpener({ ...way, directMessages: options.directMessages });
  const streams = new LiveStreams({ store, vault, runtime, opener });
  const host = new PollerHost({
    ...{ ...way, store, vault, receivers, runtime, handshakes, gate, opener },
    monitor: {
      appended: ({ id }, afterMs) => {
        streams.appended(id);
        for (const ms of afterMs) metrics.eventsStored.observe(ms / 1_000);
      },
      gap: ({ account }) => {
        metrics.activityGaps.inc();
        logger.warn({ account }, 'the platform did not keep all that happened: events are missing');
      },
      attempted: ({ outcome, firstAfterMs, deliveredAfterMs }) => {
        metrics.deliveryAttempts.inc({ outcome });
        if (firstAfterMs !== null) metrics.eventsAttempted.observe(firstAfterMs / 1_000);
        if (deliveredAfterMs !== null) metrics.eventsDelivered.observe(deliveredAfterMs / 1_000);
      },
      fault: (err, poller) => logger.warn({ account: poller?.account, err }, 'a poller could not go on; trying again'),
    },
  });
  metrics.watchDeliveries(
    () => ({ ...host.load, streams: streams.size }),
    rarely(runtime, backlogMs, () => store.deliveries.backlog()),
  );
  host.start();
  const sweeping = repeat(runtime, sweepMs, async () => {
    await store.events.sweep().catch((err) => logger.debug({ err }, 'old events could not be swept; trying again'));
  });
  return {
    service: new WebhookService({ ...way, store, vault, receivers, runtime, handshakes, gate, streams, opener }),
    /** Ends the live streams. */
    endStreams: () => streams.close(),
    close: async () => {
      sweeping.cancel();
      await host.close();
      await receivers.close();
    },
  };
}
