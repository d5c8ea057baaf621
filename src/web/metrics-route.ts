import { createHash, timingSafeEqual } from 'node:crypto';
import { type Request, Router } from 'express';
import { PosternError } from '../errors/postern-error.ts';
import { isLoopbackHost } from '../model/loopback.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Secret } from '../secrets/secret.ts';
import { readOnly } from './faults.ts';

/** `/metrics` for Prometheus: loopback only, or with a token from anywhere. */
export function metricsRoute(metrics: Metrics, token: Secret | null): Router {
  const router = Router();
  router.get('/metrics', async (request, response) => {
    if (!hasToken(request, token) && !(token === null && isLocal(request))) {
      throw token === null
        ? new PosternError(
            'forbidden',
            '/metrics answers this machine only; set METRICS_TOKEN to reach it from elsewhere',
          )
        : new PosternError('unauthenticated', '/metrics needs the header Authorization: Bearer <METRICS_TOKEN>');
    }
    response.setHeader('content-type', metrics.registry.contentType);
    response.end(await metrics.registry.metrics());
  });
  router.all('/metrics', readOnly);
  return router;
}

function hasToken(request: Request, token: Secret | null): boolean {
  const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return token !== null && given !== undefined && timingSafeEqual(digest(given), digest(token.expose()));
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** A reverse proxy on this machine connects from loopback too; it says for whom, and that is not loopback. */
function isLocal(request: Request): boolean {
  const forwarded = request.headers['x-forwarded-for'] ?? request.headers['forwarded'];
  return forwarded === undefined && isLoopbackHost(request.socket.remoteAddress ?? '');
}
