import { createHash, timingSafeEqual } from 'node:crypto';
import { type Request, Router } from 'express';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { isLoopbackHost, isLoopbackHostHeader } from '../../shared/model/loopback.ts';
import type { Metrics } from '../../shared/observability/metrics.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import { bearerOf } from '../http/api-key.ts';
import { endResponse } from '../http/end-response.ts';
import { readOnly } from '../http/read-only.ts';

/** Serves `/metrics` for Prometheus: over loopback, or from anywhere with the token. */
export function metricsRoute(metrics: Metrics, token: Secret | null): Router {
  const router = Router();
  router.get('/metrics', async (request, response) => {
    if (!hasToken(request, token) && !(token === null && isLocal(request))) {
      throw token === null
        ? new PosternError(
            'loopback_only',
            '/metrics answers this machine only, as localhost or 127.0.0.1; set METRICS_TOKEN to reach it in other ways',
          )
        : new PosternError('metrics_token_wrong', '/metrics needs the header Authorization: Bearer <METRICS_TOKEN>');
    }
    response.setHeader('content-type', metrics.registry.contentType);
    endResponse(response, await metrics.registry.metrics());
  });
  router.all('/metrics', readOnly);
  return router;
}

function hasToken(request: Request, token: Secret | null): boolean {
  const given = bearerOf(request);
  return token !== null && given !== null && timingSafeEqual(digest(given.expose()), digest(token.expose()));
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Headers by which reverse proxies describe the client. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto', 'via'];

/**
 * Returns true for a request from this machine. A reverse proxy on this machine connects from loopback too, but adds one of these
 * headers. After DNS rebinding a browser on this machine connects from loopback too, but `Host` has the name of a web page.
 */
function isLocal({ headers, socket }: Request): boolean {
  if (proxyHeaders.some((name) => headers[name] !== undefined)) return false;
  return isLoopbackHost(socket.remoteAddress ?? '') && isLoopbackHostHeader(headers['host']);
}
