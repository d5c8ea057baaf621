import { Router } from 'express';
import type { Platform } from '../../platform/port.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { cachedFor } from '../../shared/runtime/cached-for.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Store } from '../../store/port.ts';
import { readOnly } from '../http/request.ts';
import { sendData } from '../rest/envelope.ts';

export interface HealthParts {
  store: Store;
  platform: Platform;
  runtime: Runtime;
}

/** How long a check of the store and the platform is used for all callers, in milliseconds. `/readyz` needs no key. */
const checkMs = 1_000;

/**
 * Creates the routes of `/healthz`, which shows that the process is alive, and `/readyz`, which shows that the store and the platform are
 * available.
 */
export function healthRoutes({ store, platform, runtime }: HealthParts): Router {
  const router = Router();
  const startedAt = runtime.now();
  const check = cachedFor(runtime, checkMs, () => Promise.all([state(store.ready()), state(platform.ready())]));
  router.get('/healthz', (_request, response) => {
    sendData(response, { uptime_s: Math.floor((runtime.now() - startedAt) / 1_000) });
  });
  router.get('/readyz', async (_request, response) => {
    const [storeState, platformState] = await check();
    if (storeState === 'ok' && platformState === 'ok') return sendData(response, { store: 'ok', platform: 'ok' });
    throw new PosternError('not_ready', `Not ready: store ${storeState}, platform ${platformState}`);
  });
  router.all(['/healthz', '/readyz'], readOnly);
  return router;
}

async function state(check: Promise<void>): Promise<'ok' | 'unreachable'> {
  return check.then(
    () => 'ok',
    () => 'unreachable',
  );
}
