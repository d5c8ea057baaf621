import { Router } from 'express';
import { type ErrorEntry, errorEntries, errorIntroduction } from '../../shared/errors/guide.ts';
import { readOnly } from '../http/read-only.ts';
import { textStyle } from './error-page.ts';
import { type Html, html } from './html.ts';
import { htmlPage } from './local-page.ts';
import { serveAssets, staticContent } from './static-files.ts';

/** Serves `/docs/errors`, the reference of error codes. The page contains no credentials. */
export function errorsPage(): Router {
  const router = Router();
  const text = async () => Buffer.from(page(await textStyle.url()).text);
  router.get('/docs/errors', staticContent(text, 'html'));
  serveAssets(router, [textStyle]);
  router.all('/docs/errors', readOnly);
  return router;
}

function page(style: string): Html {
  return htmlPage({
    title: 'Postern error codes',
    style,
    body: html`<body>
<header><a class="brand" href="/">Postern</a><nav aria-label="Pages"><a href="/console">Console</a> <a href="/docs">API reference</a> <a href="/graphql">GraphiQL</a></nav></header>
<main>
<h1>Error codes</h1>
<p class="soft">${withCode(errorIntroduction)}</p>
${errorEntries().map(section)}
</main>
</body>`,
  });
}

function section({ code, status, graphql, when, remedy, retry, example }: ErrorEntry): Html {
  return html`<section id="${code}" aria-labelledby="${code}-title">
<h2 id="${code}-title"><code>${code}</code></h2>
<p>HTTP status ${status}, GraphQL <code>${graphql}</code>. Retry: ${retry}.</p>
<p>${withCode(when)}</p>
<p><b>What to do.</b> ${withCode(remedy)}</p>
${example === undefined ? [] : html`<p>Example: <code>${example}</code></p>`}
</section>
`;
}

/** Converts Markdown code spans to HTML. */
function withCode(text: string): Html[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
