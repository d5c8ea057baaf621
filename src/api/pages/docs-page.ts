import { Router } from 'express';
import type { Demo } from '../demo/demo.ts';
import { readOnly } from '../http/request.ts';
import type { HomePageParts } from './home-page.ts';
import { type Html, html, script } from './html.ts';
import { type ConnectedPlatform, connectedTo, htmlPage, pageHeaders, refuseForeignHost } from './local-page.ts';
import { asset, sendPage, serveAssets, styleSheet, urlsOf } from './static-files.ts';

// The build copies the viewer from its package. The relative path is the same in src/ and in dist/.
const viewerFile = new URL('../../../dist/viewer/reference.js', import.meta.url);

const docsHeaders = pageHeaders({
  // The reference inserts its style sheet into the page.
  'style-src': "'self' 'unsafe-inline'",
  'connect-src': "'self'",
});

/** Serves `/docs`, the API reference with a console to try calls. */
export function docsPage({ platform, demo }: Pick<HomePageParts, 'platform' | 'demo'>): Router {
  const router = Router();
  const files = {
    style: styleSheet('/docs/docs.css', new URL('./docs.css', import.meta.url)),
    viewer: asset('/docs/viewer.js', viewerFile, 'js'),
    script: asset('/docs/docs.js', new URL('./docs.js', import.meta.url), 'js'),
  };
  router.get('/docs', refuseForeignHost(demo), async (request, response) => {
    response.set(docsHeaders);
    await sendPage(request, response, page(platform, demo(), await urlsOf(files)));
  });
  serveAssets(router, Object.values(files));
  router.all('/docs', readOnly);
  return router;
}

function page(
  platform: ConnectedPlatform,
  demo: Demo | null,
  files: Record<'style' | 'viewer' | 'script', string>,
): Html {
  return htmlPage({
    title: 'Postern API reference',
    style: files.style,
    scripts: [script(files.viewer, 'defer'), script(files.script, 'defer')],
    body: html`<body>
<header class="page">
<a class="brand" href="/">Postern</a>
<p>${demo ? html`The demo key and the connection of <b>${demo.accounts[0]?.userName ?? ''}</b> are filled in.` : 'API reference.'} ${connectedTo(platform)}</p>
</header>
<div id="reference" data-api-key="${demo?.apiKey ?? ''}" data-actor="${demo?.accounts[0]?.connection ?? ''}" data-encryption-code="${demo?.accounts[0]?.encryptionCode ?? ''}"></div>
<noscript>The reference needs JavaScript. <a href="/openapi.json">/openapi.json</a> contains the whole reference.</noscript>
</body>`,
  });
}
