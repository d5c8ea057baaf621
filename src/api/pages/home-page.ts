import { Router } from 'express';
import type { Action } from '../../actions/action.ts';
import { commandName } from '../../shared/config/command-name.ts';
import { formatDollars } from '../../shared/model/money.ts';
import { version } from '../../shared/version.ts';
import type { Demo } from '../demo/demo.ts';
import results from '../demo/example-results.json' with { type: 'json' };
import { demoAccess, type Example, examplesFor, unknownAccess } from '../demo/examples.ts';
import { readOnly } from '../http/request.ts';
import { type Html, html, script } from './html.ts';
import { type ConnectedPlatform, htmlPage, pageHeaders, refuseForeignHost } from './local-page.ts';
import { asset, sendPage, serveAssets, styleSheet, urlsOf } from './static-files.ts';

export interface HomePageParts {
  actions: readonly Action[];
  platform: ConnectedPlatform;
  /** The name of the database. */
  store: string;
  /** Returns the base URL that callers use, without `/v1`. Returns `null` if the service does not know it. */
  publicUrl: () => string | null;
  /** Returns the demo credentials. Returns `null` without a sandbox. */
  demo: () => Demo | null;
}

const security = pageHeaders({ 'connect-src': "'self'" });

/** Serves `/`: what this service is, its status, three calls to try, and the other pages. */
export function homePage(parts: HomePageParts): Router {
  const router = Router();
  const files = {
    style: styleSheet('/home.css', new URL('./home.css', import.meta.url)),
    script: asset('/home.js', new URL('./home.js', import.meta.url), 'js'),
  };
  router.get('/', refuseForeignHost(parts.demo), async (request, response) => {
    const origin = parts.publicUrl() ?? originIn(request.headers.host);
    response.set(security);
    await sendPage(request, response, page(parts, origin, await urlsOf(files)));
  });
  serveAssets(router, Object.values(files));
  router.all('/', readOnly);
  return router;
}

/** Returns the origin that a client used, without anything that a shell would interpret. */
function originIn(host = ''): string {
  return `http://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}`;
}

function page(parts: HomePageParts, origin: string, files: Record<'style' | 'script', string>): Html {
  const { platform, store, actions } = parts;
  const demo = parts.demo();
  const examples = examplesFor(demo ? demoAccess(demo) : unknownAccess(origin));
  return htmlPage({
    title: 'Postern',
    style: files.style,
    scripts: [script(files.script, 'defer')],
    body: html`<body>
<header>
<a class="brand" href="/">Postern</a>
<span class="version">${version}</span>
<nav aria-label="Pages">
<a href="/console">Console</a>
<a href="/docs">API reference</a>
<a href="/graphql">GraphiQL</a>
${demo ? html`<a href="${demo.sandboxUrl}/ada">Sandbox</a>` : []}
</nav>
</header>
<main>
<section class="intro">
<div>
<h1>One API for your social platform</h1>
<p>Postern is a self-hosted gateway: programs read and write tweets, users, articles and messages over REST or GraphQL, and receive events as signed webhooks.
Each call has a price, and a call that fails is free.</p>
</div>
<dl class="status">
<div><dt>Platform</dt><dd>${platform.kind} <span class="soft">${platform.host}</span></dd></div>
<div><dt>Store</dt><dd>${store}</dd></div>
<div><dt>Status</dt><dd><a href="/readyz"><span id="ready" role="status" data-state="unknown">checking…</span></a></dd></div>
</dl>
</section>
${demo ? [] : credentials()}
<section class="examples" aria-label="Three calls to try" data-key="${demo?.apiKey ?? ''}">
${examples.map((example, index) => exampleCard(example, index + 1, actions))}
</section>
<nav class="places" aria-label="Where to go next">
<a href="/console"><b>Console</b> <span>Credit, keys, webhooks and usage of your account</span></a>
<a href="/docs"><b>API reference</b> <span>All ${actions.length} calls with prices; try them in the page</span></a>
<a href="/graphql"><b>GraphiQL</b> <span>Write and run GraphQL queries</span></a>
${
  demo
    ? html`<a href="${demo.sandboxUrl}/ada"><b>Sandbox</b> <span>The profile of ada, as people see it on the platform</span></a>`
    : html`<a href="/openapi.json"><b>OpenAPI</b> <span>The REST API as a document, for client generators</span></a>`
}
<a href="/docs/errors"><b>Error codes</b> <span>What each error means and what to do</span></a>
</nav>
</main>
</body>`,
  });
}

function credentials(): Html {
  return html`<form class="credentials" id="credentials" autocomplete="off">
<p>Create a key with <code>${commandName} account create --name me --credits 5</code> and <code>${commandName} key create --account &lt;id&gt;</code>.</p>
<label>API key <input name="key" type="password" required autocomplete="off" spellcheck="false" placeholder="$POSTERN_KEY"></label>
<label>Connection <input name="actor" type="password" required autocomplete="off" spellcheck="false" placeholder="$CONNECTION"></label>
</form>`;
}

function exampleCard(
  { name, title, about, command, requests, ...example }: Example,
  number: number,
  actions: readonly Action[],
): Html {
  const price = actions
    .filter((action) => example.actions.includes(action.name))
    .reduce((sum, action) => sum + action.price, 0);
  return html`<article aria-labelledby="${name}" data-requests="${JSON.stringify(requests)}">
<h2 id="${name}"><span class="number" aria-hidden="true">${number}</span> ${title}</h2>
<p>${about}</p>
<pre class="command" tabindex="0" role="region" aria-label="${title}: command"><code>${command}</code></pre>
<div class="actions">
<button type="button" data-run>Run <span class="price">$${formatDollars(price)}</span></button>
<button type="button" class="plain" data-copy>Copy</button>
<span class="outcome" role="status">Recorded result</span>
</div>
<pre class="result" tabindex="0" role="region" aria-label="${title}: result"><code>${results[name]}</code></pre>
</article>`;
}
