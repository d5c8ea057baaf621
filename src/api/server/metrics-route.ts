import { createHash, timingSafeEqual } from 'node:crypto';
import { type Request, Router } from 'express';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { isLoopbackHost, isLoopbackHostHeader } from '../../shared/model/loopback.ts';
import type { Metrics } from '../../shared/observability/metrics.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import { bearerOf } from '../http/api-key.ts';
import { endResponse } from '../http/end-response.ts';
import { readOnly } from '../http/request.ts';

/** Serves `/metrics` for Prometheus to requests from loopback, and to other requests with the token. */
export function metricsRoute(metrics: Metrics, token: Secret | null): Router {
  const router = Router();
  let next: Promise<string> | null = null;
  // Requests that arrive together share a text, which takes milliseconds to make.
  const sharedText = () => {
    next ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      next = null;
      return metrics.text();
    });
    return next;
  };
  router.get('/metrics', async (request, response) => {
    if (!hasToken(request, token) && !(token === null && isLocal(request))) {
      throw token === null
        ? new PosternError(
            'loopback_only',
            '/metrics is available only from this machine at localhost or 127.0.0.1, unless METRICS_TOKEN is set',
          )
        : new PosternError('metrics_token_wrong', '/metrics requires the header Authorization: Bearer <METRICS_TOKEN>');
    }
    response.setHeader('content-type', metrics.registry.contentType);
    endResponse(response, await sharedText());
  });
  router.all('/metrics', readOnly);
  return router;
}

function hasToken(request: Request, token: Secret | null): boolean {
  const given = bearerOf(request);
  return token !== null && given !== null && timingSafeEqual(digest(given.expose()), digest(token.expose()));
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Headers in which reverse proxies describe the client. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto', 'via'];

/**
 * Returns true for a direct request from this machine. A reverse proxy on this machine connects from loopback too, but adds a forwarding
 * header. A browser on this machine can be made to connect by DNS rebinding, but its `Host` is the name of a website.
 */
function isLocal({ headers, socket }: Request): boolean {
  if (proxyHeaders.some((name) => headers[name] !== undefined)) return false;
  return isLoopbackHost(socket.remoteAddress ?? '') && isLoopbackHostHeader(headers['host']);
}
