import { Router } from 'express';
import { isLoopbackHostHeader } from '../../shared/model/loopback.ts';
import type { Demo } from '../demo/demo.ts';
import { graphqlExamples } from '../demo/graphql-examples.ts';
import { readOnly } from '../http/request.ts';
import { type Build, builtFiles, serveBuilt } from './built-files.ts';
import type { HomePageParts } from './home-page.ts';
import { type Html, html, script } from './html.ts';
import { htmlPage, pageHeaders } from './local-page.ts';
import { sendPage } from './static-files.ts';

// The relative path is the same in src/ and in dist/.
const folder = new URL('../../../dist/graphiql/', import.meta.url);

const graphiqlHeaders = pageHeaders({
  // Monaco, the editor of GraphiQL, uses style attributes to position its lines and adds a <style> element for its colours.
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self'",
  'worker-src': "'self'",
  'connect-src': "'self'",
});

/**
 * Serves GraphiQL to a browser at `/graphql`. Unlike the other pages, this page accepts any `Host` header, but it shows demo credentials
 * only to requests from loopback.
 */
export function graphiqlPage({ demo }: Pick<HomePageParts, 'demo'>): Router {
  const router = Router();
  const build = builtFiles(folder);
  router.get('/graphql', async (request, response) => {
    const shown = isLoopbackHostHeader(request.headers.host) ? demo() : null;
    response.set(graphiqlHeaders).vary('accept');
    await sendPage(request, response, page(await build(), shown));
  });
  router.get('/graphiql/files/:name', serveBuilt(build));
  router.all('/graphiql/files/:name', readOnly);
  return router;
}

function page({ script: program, style, workers }: Build, demo: Demo | null): Html {
  return htmlPage({
    title: 'Postern GraphiQL',
    style: `/graphiql/files/${style}`,
    scripts: [script(`/graphiql/files/${program}`, 'type="module"')],
    body: html`<body>
<header>
<a href="/">Postern</a>
<h1>GraphiQL</h1>
<form id="credentials" autocomplete="off">
<label>API key <input name="apiKey" type="${demo ? 'text' : 'password'}" value="${demo?.apiKey ?? ''}" autocomplete="off" spellcheck="false"></label>
${demo ? accountChoice(demo) : []}
<label${demo ? html` hidden` : []}>Actor token <input name="token" type="password" autocomplete="off" spellcheck="false" placeholder="x-auth-token"></label>
<label${demo ? html` hidden` : []}>Code <input name="code" type="password" autocomplete="off" spellcheck="false" placeholder="x-encryption-code"></label>
</form>
</header>
<main id="graphiql" data-examples="${JSON.stringify(graphqlExamples)}" data-workers="${JSON.stringify(workers)}"></main>
<noscript>GraphiQL needs JavaScript. Programs send their queries to /graphql.</noscript>
</body>`,
  });
}

function accountChoice({ accounts }: Demo): Html {
  return html`<label>Actor <select name="account">
${accounts.map(
  ({ userName, connection, authToken, encryptionCode }) =>
    html`<option value="${connection}" data-token="${authToken}" data-code="${encryptionCode}">${userName}</option>`,
)}
<option value="">nobody</option>
<option value="other">another token…</option>
</select></label>`;
}
