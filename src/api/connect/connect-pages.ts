import { type Request, type Response, Router } from 'express';
import type { SignInFlow, SignInOffer, SignInResult } from '../../connections/sign-in.ts';
import { type RefusedStep, signInRefusals } from '../../connections/sign-in-refusals.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { scopeTexts } from '../../shared/text/scopes.ts';
import { allowOnly } from '../http/request.ts';
import { textStyle } from '../pages/error-page.ts';
import { type Html, html } from '../pages/html.ts';
import { htmlPage, pageHeaders } from '../pages/local-page.ts';
import { sendPage } from '../pages/static-files.ts';

export interface ConnectPagesParts {
  signIn: Pick<SignInFlow, 'offer' | 'begin' | 'finish'>;
  /** Returns the base URL of the pages. Returns `null` if the service does not know it. */
  publicUrl: () => string | null;
}

/**
 * Serves the pages of a sign-in: `/connect/<one-time code>`, which shows who asks for what, and `/connect/callback`, to which the platform
 * returns. A cookie for each connection binds the sign-in to one browser.
 */
export function connectPages({ signIn, publicUrl }: ConnectPagesParts): Router {
  const router = Router();

  const isSecure = () => publicUrl()?.startsWith('https:') === true;
  const cookieOptions = () => ({ httpOnly: true, sameSite: 'lax' as const, secure: isSecure(), path: '/' });

  /** Returns the name of a connection's cookie, and its value in the request. Other hosts cannot set a cookie with `__Host-`. */
  const cookieOf = ({ headers }: Request, connection = ''): [name: string, value: string | null] => {
    const name = `${isSecure() ? '__Host-' : ''}postern_connect_${connection}`;
    const found = headers.cookie?.split('; ').find((each) => each.startsWith(`${name}=`));
    return [name, found?.slice(name.length + 1) ?? null];
  };

  const show = async (request: Request, response: Response) => {
    const offer = await signIn.offer(codeOf(request));
    if ('refusal' in offer) return sendNotice(request, response, refusalPage(offer));
    // Browsers apply form-action to every redirect after the form, also to those of the platform.
    // With `no-referrer` the form would send `Origin: null`.
    const headers = pageHeaders({ 'script-src': "'none'", 'form-action': "'self' https: http:" });
    response.set({ ...headers, 'referrer-policy': 'same-origin' });
    await sendPage(request, response, await page(offerPage(offer)));
  };

  const begin = async (request: Request, response: Response) => {
    refuseForeignForm(request, publicUrl());
    refuseBody(request);
    const code = codeOf(request);
    const [name, cookie] = cookieOf(request, code.split('-')[0]);
    const begun = await signIn.begin(code, cookie);
    if ('refusal' in begun) return sendNotice(request, response, refusalPage(begun));
    response.cookie(name, begun.cookie.expose(), { ...cookieOptions(), maxAge: begun.seconds * 1_000 });
    redirect(response, begun.authorizeUrl);
  };

  const finish = async (request: Request, response: Response) => {
    const [state, code, error] = ['state', 'code', 'error'].map((name) => {
      const value = request.query[name];
      return typeof value === 'string' ? value : null;
    });
    const [name, cookie] = cookieOf(request, state?.split('.')[0]);
    const result = await signIn.finish({ state: state ?? '', code: code ?? null, error: error ?? null, cookie });
    const { returnTo, id } = result;
    // Other sites cannot clear the cookie, because they do not know the state.
    if (cookie !== null && id !== null) response.clearCookie(name, cookieOptions());
    if (returnTo !== null && id !== null) return redirect(response, withResult(returnTo, id, result.outcome));
    await sendNotice(request, response, result.outcome === 'active' ? successPage(result) : refusalPage(result));
  };

  // HEAD would use up the answer of the platform.
  router.route('/connect/callback').head(allowOnly('GET')).get(finish).all(allowOnly('GET'));
  router.route('/connect/:code').get(show).post(begin).all(allowOnly('GET, HEAD, POST'));
  return router;
}

const codeOf = ({ params }: Request) => String(params['code']);

/**
 * Refuses a form of another site. It would take a person past the page that shows which account asks for access. Browsers send
 * `Sec-Fetch-Site` to https and loopback addresses, and `Origin` to all.
 */
function refuseForeignForm({ headers }: Request, publicUrl: string | null): void {
  const { origin, host, 'sec-fetch-site': site } = headers;
  const own = [publicUrl && new URL(publicUrl).origin, `http://${host}`, `https://${host}`];
  if (site === undefined ? own.includes(origin ?? '') : site === 'same-origin') return;
  throw new PosternError('origin_not_allowed', 'Only the page of this address may begin the sign-in: open it yourself');
}

function refuseBody({ headers }: Request): void {
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= 1_024) return;
  throw new PosternError('body_too_large', 'The body is larger than a form without fields');
}

/** Adds the result to the query of a page to which the person returns. */
function withResult(returnTo: string, id: string, status: SignInResult['outcome']): string {
  const url = new URL(returnTo);
  url.searchParams.set('connection', id);
  url.searchParams.set('status', status);
  return url.href;
}

/** Redirects with 303. The `redirect` of Express would repeat the address, which may contain a secret, in a body. */
function redirect(response: Response, location: string): void {
  response
    .status(303)
    .set({ ...pageHeaders(), location })
    .end();
}

interface Notice {
  status: number;
  title: string;
  content: Html;
}

async function sendNotice(request: Request, response: Response, { status, ...notice }: Notice): Promise<void> {
  response.status(status).set(pageHeaders({ 'script-src': "'none'" }));
  await sendPage(request, response, await page(notice));
}

async function page({ title, content }: Omit<Notice, 'status'>): Promise<Html> {
  return htmlPage({
    title: `${title} · Postern`,
    style: await textStyle.url(),
    body: html`<body class="notice">
<header><span class="brand">Postern</span></header>
<main>
<h1>${title}</h1>
${content}
</main>
</body>`,
  });
}

function offerPage({ accountName, scopes, host, userName }: SignInOffer): Omit<Notice, 'status'> {
  return {
    title: userName === null ? `Connect your account at ${host}` : `Sign in again as @${userName}`,
    content: html`<p><b>${accountName}</b> asks for access to ${userName === null ? 'your account' : html`<b>@${userName}</b>`} at <b>${host}</b>. Its programs can then:</p>
<ul>
${scopes.map((scope) => html`<li>${scopeTexts[scope] ?? html`<code>${scope}</code>`}</li>\n`)}</ul>
<p class="soft">You sign in at ${host}. Postern does not see your password, and you can withdraw your consent there at any time.</p>
<form method="post"><button>Continue to ${host}</button></form>
<p class="soft">If you did not expect this, close this window. Without your consent nothing happens.</p>`,
  };
}

function successPage({ userName, id }: SignInResult & { outcome: 'active' }): Notice {
  return {
    status: 200,
    title: `Connected as @${userName}`,
    content: html`<p>You can close this window.</p>
<p class="soft">The connection is <code>${id}</code>.</p>`,
  };
}

function refusalPage({ refusal, message }: RefusedStep): Notice {
  const { status, title, remedy } = signInRefusals[refusal];
  return { status, title, content: html`<p>${message}.</p>\n<p>${remedy}.</p>` };
}
