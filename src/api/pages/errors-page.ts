import { Router } from 'express';
import { readOnly } from '../http/read-only.ts';
import { type ErrorEntry, errorEntries, errorIntroduction } from '../rest/openapi/error-reference.ts';
import { homeStyle } from './home-assets.ts';
import { type Html, html } from './html.ts';
import { icon } from './local-page.ts';
import { staticText } from './static-files.ts';

/** `/docs/errors`: what each error code means and what to do about it. It holds no credentials. */
export function errorsPage(): Router {
  const router = Router();
  router.get('/docs/errors', staticText(page().text, 'html'));
  router.get('/docs/errors.css', staticText(homeStyle, 'css'));
  router.all(['/docs/errors', '/docs/errors.css'], readOnly);
  return router;
}

function page(): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Postern error codes</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="/docs/errors.css">
</head>
<body>
<header>
<h1>Error codes</h1>
<p>${withCode(errorIntroduction)}</p>
<p><a href="/docs">API reference</a></p>
</header>
<main>
${errorEntries().map(section)}
</main>
</body>
</html>`;
}

function section({ code, status, graphql, meaning, remedy, retry, example }: ErrorEntry): Html {
  return html`<section id="${code}" aria-labelledby="${code}-title">
<h2 id="${code}-title"><code>${code}</code></h2>
<p>HTTP status ${status}, GraphQL <code>${graphql}</code>. Retry: ${retry}.</p>
<p>${withCode(meaning)}</p>
<p><b>What to do.</b> ${withCode(remedy)}</p>
${example === null ? [] : html`<p>Example: <code>${example}</code></p>`}
</section>
`;
}

/** Markdown code spans as HTML. */
function withCode(text: string): Html[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}
