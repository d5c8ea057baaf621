import { OutboundGuard } from '../../src/outbound/guard.ts';
import { systemRuntime as runtime } from '../../src/shared/runtime/runtime.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { Vault } from '../../src/shared/secrets/vault.ts';
import type { Store } from '../../src/store/port.ts';
import { DeliveryQueues } from '../../src/webhooks/delivery/delivery-queue.ts';
import { DeliveryReader } from '../../src/webhooks/delivery/delivery-reader.ts';
import { PollerRun, PollerWebhooks } from '../../src/webhooks/delivery/poller-run.ts';
import { Receivers } from '../../src/webhooks/delivery/receiver.ts';
import { ResultWriter } from '../../src/webhooks/delivery/result-writer.ts';
import { SendGate } from '../../src/webhooks/delivery/send-gate.ts';
import { WebhookVault } from '../../src/webhooks/shared/secrets.ts';

const keys = [new Secret(runtime.randomBytes(32))];
export const vault = new WebhookVault(new Vault(keys, runtime), keys);
export const receivers = new Receivers({
  guard: new OutboundGuard({ allow: [], runtime }),
  runtime,
  allowLocalhost: true,
});
const ignore = () => {};
export const monitor = { attempted: ignore, appended: ignore, gap: ignore, failed: ignore };
export const allowances = { mayStore: () => true };

/** Claims the only poller of `store`. Returns the parts of its process, which reach the store through `reached`. */
export async function claimPoller(store: Store, reached: Store, process = 'one') {
  const [record] = await store.pollers.claim(process, 1);
  if (!record) throw new Error('the poller cannot be claimed');
  const run = new PollerRun(record, { store: reached, vault, runtime, monitor });
  const logins = { credentialOf: async ({ authToken }: { authToken: Secret }) => authToken };
  const webhooks = new PollerWebhooks(run, logins);
  const queues = new DeliveryQueues({
    run,
    webhooks,
    receivers,
    gate: new SendGate({ store: reached, runtime }),
    reader: new DeliveryReader(run),
    results: new ResultWriter(run, allowances),
  });
  return { run, record, webhooks, queues };
}
