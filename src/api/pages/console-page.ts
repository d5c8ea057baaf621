import { Router } from 'express';
import { isLoopbackHostHeader } from '../../shared/model/loopback.ts';
import { formatDollars } from '../../shared/model/money.ts';
import type { Demo } from '../demo/demo.ts';
import { readOnly } from '../http/request.ts';
import { type Build, builtFiles, serveBuilt } from './built-files.ts';
import type { HomePageParts } from './home-page.ts';
import { type Html, html, script } from './html.ts';
import { htmlPage, pageHeaders } from './local-page.ts';
import { sendPage } from './static-files.ts';

// The relative path is the same in src/ and in dist/.
const folder = new URL('../../../dist/console/', import.meta.url);

const consoleHeaders = pageHeaders({ 'connect-src': "'self'" });

/**
 * Serves `/console` and the files of its build. All paths below `/console` are the same page, whose program shows what belongs to the path.
 * The page accepts any `Host` header, but it shows demo credentials only to requests from loopback.
 */
export function consolePage({ actions, demo }: Pick<HomePageParts, 'actions' | 'demo'>): Router {
  const router = Router();
  const build = builtFiles(folder);
  const calls = JSON.stringify(
    Object.fromEntries(actions.map(({ name, method, path, price }) => [name, [method, path, formatDollars(price)]])),
  );
  router.get('/console/files/:name', serveBuilt(build));
  router.get(['/console', '/console/*path'], async (request, response) => {
    const shown = isLoopbackHostHeader(request.headers.host) ? demo() : null;
    response.set(consoleHeaders);
    await sendPage(request, response, page(await build(), calls, shown));
  });
  router.all(['/console', '/console/*path'], readOnly);
  return router;
}

function page({ script: program, style }: Build, calls: string, demo: Demo | null): Html {
  return htmlPage({
    title: 'Postern console',
    style: `/console/files/${style}`,
    scripts: [script(`/console/files/${program}`, 'type="module"')],
    body: html`<body>
<div id="console" data-calls="${calls}" data-demo="${demo ? JSON.stringify(demo) : ''}"></div>
<noscript>The console needs JavaScript. Everything it shows is also in the API: see <a href="/docs">the API reference</a>.</noscript>
</body>`,
  });
}
