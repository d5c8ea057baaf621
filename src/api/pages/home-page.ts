import { Router } from 'express';
import type { Action } from '../../actions/action.ts';
import { formatDollars } from '../../shared/model/money.ts';
import { version } from '../../shared/version.ts';
import type { Demo } from '../demo/demo.ts';
import { curlExamples } from '../demo/examples.ts';
import { readOnly } from '../http/read-only.ts';
import { homeScript, homeStyle } from './home-assets.ts';
import { type Html, html } from './html.ts';
import { icon, pageHeaders, refuseForeignHost } from './local-page.ts';

export interface HomePageParts {
  actions: readonly Action[];
  /** Returns `null` until the service knows its own address. */
  demo: () => Demo | null;
}

const security = pageHeaders();

/** Serves `/`, the overview. It shows demo credentials, so it accepts only loopback names as `Host`. */
export function homePage({ actions, demo }: HomePageParts): Router {
  const router = Router();
  router.get('/', refuseForeignHost, (_request, response) => {
    response.set(security).type('html').send(page(actions, demo()).text);
  });
  router.get('/home.css', (_request, response) => void response.set(security).type('css').send(homeStyle));
  router.get('/home.js', (_request, response) => void response.set(security).type('js').send(homeScript));
  router.all(['/', '/home.css', '/home.js'], readOnly);
  return router;
}

function page(actions: readonly Action[], demo: Demo | null): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Postern</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="/home.css">
<script src="/home.js" defer></script>
</head>
<body>
<header>
<h1>Postern <small>${version}</small></h1>
<p>A gateway to a social platform, for programs.</p>
</header>
<main>
${demo ? firstCalls(demo) : []}
<section aria-labelledby="where">
<h2 id="where">Overview</h2>
<dl>
<dt>/v1</dt><dd>REST, with JSON and an API key on every call</dd>
<dt><a href="/graphql">/graphql</a></dt><dd>GraphQL; in a browser GraphiQL</dd>
<dt><a href="/docs">/docs</a></dt><dd>API reference with a console</dd>
<dt><a href="/openapi.json">/openapi.json</a></dt><dd>description of the REST API for programs (OpenAPI 3.1)</dd>
<dt><a href="/healthz">/healthz</a></dt><dd>the process is up</dd>
<dt><a href="/readyz">/readyz</a></dt><dd>store and platform can be reached</dd>
<dt><a href="/metrics">/metrics</a></dt><dd>metrics for Prometheus</dd>
</dl>
</section>
<section aria-labelledby="actions">
<h2 id="actions">Calls</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="actions">
<table>
<thead><tr><th scope="col">Call</th><th scope="col">Does</th><th scope="col">Dollars</th></tr></thead>
<tbody>${actions.map(actionRow)}</tbody>
</table>
</div>
</section>
</main>
</body>
</html>`;
}

function firstCalls(demo: Demo): Html {
  return html`<section aria-labelledby="first">
<h2 id="first">First calls</h2>
<p>Paste one into a shell. The demo key began with 10 dollars of credit; most calls cost 0.001 if they succeed, and a call that fails is free.</p>
${curlExamples(demo).map(
  ({ title, command }) => html`<figure>
<figcaption>${title} <button type="button" data-copy>Copy</button></figcaption>
<pre tabindex="0"><code>${command}</code></pre>
</figure>`,
)}
<h3>Demo accounts</h3>
<p>On the <a href="${demo.sandboxUrl}/control/info">sandbox platform</a>; <code>x-auth-token</code> names the account that a call acts as.</p>
<dl>${demo.accounts.map((account) => html`<dt>${account.userName}</dt><dd><code>${account.authToken}</code></dd>`)}</dl>
</section>`;
}

function actionRow(action: Action): Html {
  const price = action.price === 0 ? 'free' : formatDollars(action.price);
  return html`<tr><td><code>${action.method} /v1${action.path}</code></td><td>${action.summary}</td><td>${price}</td></tr>`;
}
