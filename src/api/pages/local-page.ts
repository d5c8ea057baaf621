import type { NextFunction, Request, Response } from 'express';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { isLoopbackHostHeader } from '../../shared/model/loopback.ts';

/** The picture of Postern's pages. */
export const icon =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#0b5f5a" d="M3 15V7a5 5 0 0 1 10 0v8z"/><circle cx="10.5" cy="9.5" r="1" fill="#fff"/></svg>',
  );

/** Headers of a page that is made of this origin's files alone; `more` is added to its Content-Security-Policy. */
export function pageHeaders(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const policy = {
    'default-src': "'none'",
    'style-src': "'self'",
    'script-src': "'self'",
    'img-src': 'data:',
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...more,
  };
  return {
    'content-security-policy': Object.entries(policy)
      .map(([directive, sources]) => `${directive} ${sources}`)
      .join('; '),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };
}

/**
 * For pages that show demo credentials. Without it, a web page anywhere could point its own name at 127.0.0.1 and read
 * them (DNS rebinding).
 */
export function refuseForeignHost(request: Request, _response: Response, next: NextFunction): void {
  if (!isLoopbackHostHeader(request.headers.host)) {
    throw new PosternError(
      'loopback_only',
      'This page shows demo credentials, so it answers to localhost and 127.0.0.1 only',
    );
  }
  next();
}
