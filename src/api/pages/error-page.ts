import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PosternError } from '../../shared/errors/postern-error.ts';
import { endResponse } from '../http/end-response.ts';
import { mediaRanges } from '../http/media-ranges.ts';
import { localsOf } from '../http/request-locals.ts';
import { setErrorHeaders } from '../rest/envelope.ts';
import { type Html, html } from './html.ts';
import { htmlPage, pageHeaders } from './local-page.ts';
import { type Asset, styleSheet } from './static-files.ts';

/** The style sheet of the pages that only show text. */
export const textStyle: Asset = styleSheet('/text.css', new URL('./text.css', import.meta.url));

/** Returns true if the client prefers HTML to JSON, as a browser does when it opens a page. */
export function prefersPage({ method, headers: { accept } }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (!accept?.includes('text/html')) return false;
  const ranges = mediaRanges(accept);
  const quality = (type: string) => ranges.get(type) ?? 0;
  return quality('text/html') > quality('application/json');
}

/** Sends an error as a page. The status and the headers are the same as for the JSON Envelope. */
export async function sendErrorPage(response: ServerResponse, error: PosternError): Promise<void> {
  const style = await textStyle.url();
  if (!setErrorHeaders(response, error)) return;
  for (const [name, value] of Object.entries(pageHeaders())) response.setHeader(name, value);
  const { text } = page(error, localsOf(response).requestId, style);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(text));
  response.setHeader('vary', 'accept');
  endResponse(response, text);
}

const titles: Readonly<Record<number, string>> = {
  403: 'Not available here',
  404: 'Nothing here',
  429: 'Too many requests',
  503: 'Not available right now',
};

function page({ status, code, message }: PosternError, requestId: string, style: string): Html {
  const title = titles[status] ?? (status >= 500 ? 'Something went wrong' : 'That did not work');
  return htmlPage({
    title: `${title} · Postern`,
    style,
    body: html`<body class="notice">
<header><a class="brand" href="/">Postern</a></header>
<main>
<p class="status">${status}</p>
<h1>${title}</h1>
<p>${message}.</p>
<nav aria-label="Where to go"><a href="/">Overview</a> <a href="/console">Console</a> <a href="/docs">API reference</a> <a href="/graphql">GraphiQL</a></nav>
<p class="soft">Error <a href="/docs/errors#${code}"><code>${code}</code></a>, request <code>${requestId}</code></p>
</main>
</body>`,
  });
}
