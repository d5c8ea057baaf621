import { Router } from 'express';
import { isLoopbackHostHeader } from '../../shared/model/loopback.ts';
import type { Demo } from '../demo/demo.ts';
import { graphqlExamples } from '../demo/graphql-examples.ts';
import { readOnly } from '../http/read-only.ts';
import { graphiqlScript, graphiqlStyle } from './graphiql-page-assets.ts';
import { type Html, html } from './html.ts';
import { icon, pageHeaders } from './local-page.ts';
import { staticFile } from './static-files.ts';

export interface GraphiqlPageParts {
  /** Returns `null` until the service knows its own address. */
  demo: () => Demo | null;
}

// The relative path is the same in src/ and in dist/. The build copies GraphiQL from its package.
const folder = new URL('../../../dist/viewer/graphiql/', import.meta.url);
const copiedFiles = [
  ['graphiql.js', 'js'],
  ['graphiql.css', 'css'],
  ['editorWorkerService.worker.js', 'js'],
  ['graphql.worker.js', 'js'],
  ['json.worker.js', 'js'],
] as const;

const fileHeaders = pageHeaders();
const graphiqlHeaders = pageHeaders({
  // The editor places its lines by style attributes, and writes its colours into a style element.
  'style-src': "'self' 'unsafe-inline'",
  'font-src': 'data:',
  'worker-src': "'self'",
  'connect-src': "'self'",
});

/** Serves GraphiQL to a browser at `/graphql`. Unlike the other pages it accepts any `Host`, but shows demo credentials to loopback only. */
export function graphiqlPage({ demo }: GraphiqlPageParts): Router {
  const router = Router();
  router.get('/graphql', (request, response) => {
    const shown = isLoopbackHostHeader(request.headers.host) ? demo() : null;
    response.set(graphiqlHeaders).vary('accept').type('html').send(page(shown).text);
  });
  router.get('/graphiql/page.css', (_request, response) => {
    response.set(fileHeaders).type('css').send(graphiqlStyle);
  });
  router.get('/graphiql/page.js', (_request, response) => {
    response.set(fileHeaders).type('js').send(graphiqlScript);
  });
  for (const [name, type] of copiedFiles) {
    router.get(`/graphiql/${name}`, staticFile(new URL(name, folder), type));
  }
  router.all(
    ['page.css', 'page.js', ...copiedFiles.map(([name]) => name)].map((name) => `/graphiql/${name}`),
    readOnly,
  );
  return router;
}

function page(demo: Demo | null): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Postern GraphiQL</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="/graphiql/graphiql.css">
<link rel="stylesheet" href="/graphiql/page.css">
<script src="/graphiql/graphiql.js" defer></script>
<script src="/graphiql/page.js" defer></script>
</head>
<body>
<header>
<a href="/">Postern</a>
<form id="credentials" autocomplete="off">
<label>API key <input name="apiKey" type="${demo ? 'text' : 'password'}" value="${demo?.apiKey ?? ''}" autocomplete="off" spellcheck="false"></label>
${demo ? accountChoice(demo) : []}
<label${demo ? html` hidden` : []}>Actor token <input name="token" type="password" autocomplete="off" spellcheck="false" placeholder="x-auth-token"></label>
<label${demo ? html` hidden` : []}>Code <input name="code" type="password" autocomplete="off" spellcheck="false" placeholder="x-encryption-code"></label>
</form>
</header>
<main id="graphiql" data-examples="${JSON.stringify(graphqlExamples)}"></main>
<noscript>GraphiQL needs JavaScript. Programs send their queries to /graphql.</noscript>
</body>
</html>`;
}

function accountChoice({ accounts }: Demo): Html {
  return html`<label>Actor <select name="account">
${accounts.map(
  ({ userName, authToken, encryptionCode }) =>
    html`<option value="${authToken}" data-code="${encryptionCode}">${userName}</option>`,
)}
<option value="">nobody</option>
<option value="other">another token…</option>
</select></label>`;
}
