import { Router } from 'express';
import type { Demo } from '../demo/demo.ts';
import { readOnly } from '../http/read-only.ts';
import { docsScript, docsStyle } from './docs-page-assets.ts';
import { type Html, html } from './html.ts';
import { icon, pageHeaders, refuseForeignHost } from './local-page.ts';
import { staticFile, staticText } from './static-files.ts';

export interface DocsPageParts {
  /** Returns `null` until the service knows its own address. */
  demo: () => Demo | null;
}

// The relative path is the same in src/ and in dist/. The build copies the viewer from its package.
const viewerFile = new URL('../../../dist/viewer/openapi-explorer.min.js', import.meta.url);

const docsHeaders = pageHeaders({
  // The viewer is made of web components with style sheets and style attributes of their own.
  'style-src': "'self' 'unsafe-inline'",
  'connect-src': "'self'",
});

/** Serves `/docs`, the API reference, in which calls can be tried. */
export function docsPage({ demo }: DocsPageParts): Router {
  const router = Router();
  router.get('/docs', refuseForeignHost, (_request, response) => {
    response.set(docsHeaders).type('html').send(page(demo()).text);
  });
  router.get('/docs/docs.css', staticText(docsStyle, 'css'));
  router.get('/docs/docs.js', staticText(docsScript, 'js'));
  router.get('/docs/viewer.js', staticFile(viewerFile, 'js'));
  router.all(['/docs', '/docs/docs.css', '/docs/docs.js', '/docs/viewer.js'], readOnly);
  return router;
}

function page(demo: Demo | null): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Postern API reference</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="/docs/docs.css">
<script src="/docs/viewer.js" type="module"></script>
<script src="/docs/docs.js" type="module"></script>
</head>
<body>
<header>
<a href="/">Postern</a>
<p>${demo ? html`Ready to try: the demo key and <b>${demo.accounts[0]?.userName ?? ''}</b>’s token are filled in.` : 'API reference'}</p>
</header>
<openapi-explorer bg-color="#fbfaf8" text-color="#1d2430" header-color="#1d2430" primary-color="#0b5f5a" secondary-color="#0b5f5a"
nav-bg-color="#f1efea" nav-text-color="#1d2430" nav-hover-bg-color="#e2dfd8" nav-hover-text-color="#0b5f5a"
server-url="/v1" hide-server-selection hide-components schema-expand-level="2"
data-api-key="${demo?.apiKey ?? ''}" data-actor="${demo?.accounts[0]?.authToken ?? ''}" data-encryption-code="${demo?.accounts[0]?.encryptionCode ?? ''}"></openapi-explorer>
<noscript>The reference needs JavaScript. <a href="/openapi.json">/openapi.json</a> has all of it.</noscript>
</body>
</html>`;
}
