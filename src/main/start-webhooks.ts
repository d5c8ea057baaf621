import type { DirectMessages } from '../messaging/conversations/direct-messages.ts';
import { EventOpener } from '../messaging/conversations/event-opener.ts';
import type { OutgoingConnections } from '../outbound/connection-limiter.ts';
import type { OutboundGuard } from '../outbound/guard.ts';
import { readProxy } from '../outbound/proxy.ts';
import type { CredentialResolver, Platform } from '../platform/port.ts';
import { cachedFor } from '../shared/runtime/cached-for.ts';
import { repeat } from '../shared/runtime/runtime.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import { Vault } from '../shared/secrets/vault.ts';
import { AccountEvents } from '../webhooks/account-events.ts';
import type { PollerMonitor } from '../webhooks/delivery/poller-run.ts';
import { Receivers } from '../webhooks/delivery/receiver.ts';
import { SendGate } from '../webhooks/delivery/send-gate.ts';
import { PollerHost } from '../webhooks/polling/poller-host.ts';
import { DailyCheck } from '../webhooks/registration/daily-check.ts';
import { Handshakes } from '../webhooks/registration/handshakes.ts';
import { sealPlainUrls } from '../webhooks/registration/records.ts';
import { TestEventLimit } from '../webhooks/registration/test-event.ts';
import { WebhookService } from '../webhooks/service.ts';
import type { EventLimits } from '../webhooks/shared/event-allowance.ts';
import { WebhookVault } from '../webhooks/shared/secrets.ts';
import { LiveStreams } from '../webhooks/streams/live-streams.ts';
import type { CoreParts } from './start-billing.ts';

/** The interval in milliseconds at which old events and unused pollers are deleted. */
const sweepMs = 60_000;
/** The interval in milliseconds at which waiting deliveries are counted. It is long, because the store reads all of them. */
const backlogMs = 30_000;

export interface WebhookOptions extends CoreParts {
  platform: Platform;
  guard: OutboundGuard;
  connections: OutgoingConnections;
  allowLocalhost: boolean;
  eventLimits: EventLimits;
  /** The maximum time in milliseconds for which the platform may hold a poll of an active actor; 0 disables waiting. */
  activityWaitMs: number;
  directMessages: DirectMessages;
  logins: CredentialResolver;
}

/** Starts webhooks and live streams. First encrypts the URLs that an earlier release stored in plain text. */
export async function startWebhooks(options: WebhookOptions) {
  const { store, platform, guard, runtime, logger, metrics, tracing, allowLocalhost } = options;
  const vault = new WebhookVault(new Vault(options.secretKeys, runtime), options.secretKeys);
  await sealPlainUrls(store, vault);
  const receivers = new Receivers({ guard, runtime, allowLocalhost, connections: options.connections });
  const gate = new SendGate({ store, runtime });
  const access = { platform, readProxy: (text: Secret) => readProxy(text, guard) };
  const opener = new EventOpener({ ...access, directMessages: options.directMessages });
  const services = { ...access, store, vault, runtime, receivers, gate, opener, logins: options.logins };
  const handshakes = new Handshakes(services);
  const streams = new LiveStreams(services);
  const monitor: PollerMonitor = {
    appended: ({ id }, afterMs) => {
      streams.appended(id);
      for (const ms of afterMs) metrics.eventsStored.observe(ms / 1_000);
    },
    gap: ({ account }) => {
      metrics.activityGaps.inc();
      logger.warn({ account }, 'events are missing, because the platform no longer has all of them');
    },
    attempted: (attempt) => {
      const { outcome, firstAfterMs, deliveredAfterMs } = attempt;
      tracing?.delivered(attempt);
      metrics.deliveryAttempts.inc({ outcome });
      if (firstAfterMs !== null) metrics.eventsAttempted.observe(firstAfterMs / 1_000);
      if (deliveredAfterMs !== null) metrics.eventsDelivered.observe(deliveredAfterMs / 1_000);
    },
    failed: (err, poller) => logger.warn({ account: poller?.account, err }, 'a poller could not go on; trying again'),
  };
  const { activityWaitMs, eventLimits } = options;
  const host = new PollerHost({ ...services, monitor, activityWaitMs }, eventLimits);
  metrics.watchDeliveries(
    () => ({ ...host.load, streams: streams.size }),
    cachedFor(runtime, backlogMs, () => store.deliveries.backlog()),
    () => store.now(),
  );
  host.start();
  const sweeping = repeat(runtime, sweepMs, async () => {
    await store.events.sweep().catch((err) => logger.debug({ err }, 'old events could not be swept; trying again'));
  });
  const dailyCheck = new DailyCheck({
    store,
    runtime,
    handshakes,
    webhooks: () => host.webhooks,
    onError: (err) => logger.warn({ err }, 'the daily handshake of a webhook failed; trying again in an hour'),
  });
  const accountEvents = new AccountEvents({
    store,
    vault,
    runtime,
    onError: (err) => logger.warn({ err }, 'events of accounts could not be queued; trying again'),
  });
  return {
    service: new WebhookService({ ...services, handshakes, streams, testEvents: new TestEventLimit(runtime) }),
    accountEvents,
    /** Ends the live streams. */
    endStreams: () => streams.close(),
    close: async () => {
      sweeping.cancel();
      dailyCheck.close();
      await accountEvents.close();
      await host.close();
      await receivers.close();
    },
  };
}
