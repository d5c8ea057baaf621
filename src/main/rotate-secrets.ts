import { sealPurposes } from '../connections/records.ts';
import type { Config } from '../shared/config/config.ts';
import { OperatorError } from '../shared/errors/operator-error.ts';
import { systemRuntime } from '../shared/runtime/runtime.ts';
import { Vault, VaultError } from '../shared/secrets/vault.ts';
import {
  eventTtlMs,
  idempotencyTtlMs,
  type PollerRecord,
  type Store,
  type StoredConnection,
  type WebhookRecord,
} from '../store/port.ts';
import { WebhookVault } from '../webhooks/shared/secrets.ts';
import { findSecretKeys, isIntroduced } from './open-secret-keys.ts';

const batchSize = 100;

export interface RotationProgress {
  /** The number of webhooks, pollers and connections that were read. */
  checked: number;
  /** The number of those that were encrypted with an older key, and are encrypted with the first one now. */
  rotated: number;
  /** The number of those that were encrypted with a key which is not configured. */
  unreadable: number;
}

export interface Rotation extends RotationProgress {
  /** The time from which nothing needs the older keys, because events and stored responses have expired. `null` if there is only one key. */
  removableAt: number | null;
}

/**
 * Encrypts the stored secrets of webhooks, pollers and connections with the first secret key. Gateways may run meanwhile. An interrupted
 * rotation can be repeated, because secrets with the first key are skipped. Throws an error with advice if a gateway could not read the
 * result.
 */
export async function rotateSecrets(
  store: Store,
  config: Config,
  onProgress: (progress: RotationProgress) => void,
): Promise<Rotation> {
  const keys = await findSecretKeys(config, store.secretCheck, systemRuntime);
  if (!(await isIntroduced(keys, store.secretCheck, systemRuntime))) {
    throw new OperatorError({
      detail: 'No gateway has started with the first key of SECRET_KEY',
      advice: 'restart every gateway with SECRET_KEY=<new>,<old>, then repeat this command with the same setting',
    });
  }
  const newest = new Vault(keys.slice(0, 1), systemRuntime);
  const all = new Vault(keys, systemRuntime);
  const vault = new WebhookVault(all, keys);
  const isCurrent = (...texts: readonly (string | null)[]) =>
    texts.every((text) => text === null || newest.knows(text));
  const progress = { checked: 0, rotated: 0, unreadable: 0 };

  /** Encrypts one record with the first key. If the record changes meanwhile, reads it and tries again. */
  const rotate = async <Item extends WebhookRecord | PollerRecord | StoredConnection>(
    first: Item,
    {
      find,
      isDone,
      reseal,
    }: {
      find: (account: string, id: string) => Promise<Item | null>;
      isDone: (item: Item) => boolean;
      reseal: (item: Item) => Promise<boolean>;
    },
  ) => {
    progress.checked += 1;
    try {
      for (let item: Item | null = first; item && !isDone(item); item = await find(first.account, first.id)) {
        if (!(await reseal(item))) continue;
        progress.rotated += 1;
        break;
      }
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      progress.unreadable += 1;
    }
    onProgress(progress);
  };

  for await (const webhook of pages((after) => store.webhooks.listAll(batchSize, after))) {
    await rotate<WebhookRecord>(webhook, {
      find: store.webhooks.find,
      isDone: ({ url, sealed }) => isCurrent(url, sealed),
      reseal: async (item) => {
        const url = vault.sealUrl(item, vault.openUrl(item));
        return store.webhooks.reseal({ ...item, url, sealed: vault.seal(item, vault.open(item)) });
      },
    });
  }
  for await (const poller of pages((after) => store.pollers.listAll(batchSize, after))) {
    await rotate<PollerRecord>(poller, {
      find: store.pollers.find,
      isDone: ({ sealed, unreachable }) => isCurrent(sealed, unreachable),
      reseal: async (item) => {
        const { account, id } = item;
        const reason = vault.openUnreachable(item);
        const unreachable = reason && vault.sealUnreachable(item, reason);
        const sealed = vault.sealPoller(account, id, vault.openPoller(item));
        return store.pollers.reseal({ account, id, sealed, unreachable }, item.sealed);
      },
    });
  }
  for await (const connection of pages((after) => store.connections.listAll(batchSize, after))) {
    await rotate<StoredConnection>(connection, {
      find: (_account, id) => store.connections.find(id),
      isDone: ({ login, signIn }) => isCurrent(login, signIn),
      reseal: async (item) => {
        const again = (text: string | null, of: string) => text && newest.seal(all.open(text, of), of);
        const login = again(item.login, sealPurposes.login(item.id));
        const signIn = again(item.signIn, sealPurposes.signIn(item.id));
        return (await store.connections.replace({ ...item, login, signIn })) !== null;
      },
    });
  }
  const removableAt = keys.length > 1 ? store.now() + Math.max(eventTtlMs, idempotencyTtlMs) : null;
  return { ...progress, removableAt };
}

async function* pages<Item extends { id: string }>(read: (after?: string) => Promise<Item[]>): AsyncGenerator<Item> {
  for (let items = await read(); items.length > 0; items = await read(items.at(-1)?.id)) yield* items;
}
