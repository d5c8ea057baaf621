import type { RequestHandler } from 'express';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { isLoopbackHostHeader } from '../../shared/model/loopback.ts';
import type { Demo } from '../demo/demo.ts';
import { type Html, html } from './html.ts';

/** The platform that the gateway is connected to, without secrets. */
export interface ConnectedPlatform {
  kind: string;
  host: string;
}

/** Returns a sentence that names the platform. */
export function connectedTo({ kind, host }: ConnectedPlatform): Html {
  return html`Connected to the platform <code>${kind}</code> at <code>${host}</code>.`;
}

/** The favicon of the pages. */
const icon =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#0b5f5a" d="M3 15V7a5 5 0 0 1 10 0v8z"/><circle cx="10.5" cy="9.5" r="1" fill="#fff"/></svg>',
  );

interface PageParts {
  title: string;
  /** The URL of the style sheet. */
  style: string;
  scripts?: readonly Html[];
  /** The element `body`. */
  body: Html;
}

/** Returns the document of a page. */
export function htmlPage({ title, style, scripts = [], body }: PageParts): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${style}">
${scripts}
</head>
${body}
</html>`;
}

/** Returns the headers of a page that loads files from this origin only. `more` is added to its Content-Security-Policy. */
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
 * Refuses requests whose `Host` is not a loopback name while there are demo credentials. Pages that show them need this check, because any
 * website could otherwise resolve its own name to 127.0.0.1 and read the credentials (DNS rebinding). Without demo credentials the
 * pages contain no secret, only the API description and the kind and host of the platform, so any `Host` is accepted.
 */
export function refuseForeignHost(demo: () => Demo | null): RequestHandler {
  return (request, _response, next) => {
    if (demo() !== null && !isLoopbackHostHeader(request.headers.host)) {
      throw new PosternError(
        'loopback_only',
        'This page shows demo credentials, so it is available only at localhost and 127.0.0.1',
      );
    }
    next();
  };
}
