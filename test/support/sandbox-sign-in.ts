import { createHash, randomBytes } from 'node:crypto';

export const allScopes =
  'tweet.read tweet.write users.read follows.read follows.write like.read like.write bookmark.read bookmark.write list.read media.write dm.read dm.write offline.access';

/** Loads the consent page of the sandbox and presses a button as a person does. Returns the address that the browser is sent to. */
export async function consent(authorizeUrl: string, user = 'ada', decision: 'allow' | 'deny' = 'allow'): Promise<URL> {
  const response = await fetch(authorizeUrl, { redirect: 'manual' });
  const html = await response.text();
  const request = /name="request" value="([^"]+)"/.exec(html)?.[1];
  if (request === undefined) throw new Error(`no consent page: ${response.status} ${html.slice(-300)}`);
  const answer = await fetch(new URL('/i/oauth2/authorize', authorizeUrl), {
    method: 'POST',
    body: new URLSearchParams({ request, user, decision }),
    redirect: 'manual',
  });
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`no redirect: ${answer.status} ${(await answer.text()).slice(-300)}`);
  return new URL(location);
}

/** A program that signs users in at the sandbox. By default it is the demo client. */
export function signInClient(sandboxUrl: string, { id = 'postern-demo', secret = null as string | null } = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const redirectUri = 'http://127.0.0.1:4000/connect/callback';
  const send = async (path: string, form: Record<string, string>) => {
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const response = await fetch(`${sandboxUrl}/2/oauth2/${path}`, {
      method: 'POST',
      headers: secret === null ? {} : { authorization: basic },
      body: new URLSearchParams(secret === null ? { client_id: id, ...form } : form),
    });
    const body = (await response.json()) as Partial<Record<string, string>>;
    return { status: response.status, body, headers: response.headers };
  };
  const authorizeUrl = (changes: Record<string, string> = {}) => {
    const url = new URL('/i/oauth2/authorize', sandboxUrl);
    const values = {
      response_type: 'code',
      client_id: id,
      redirect_uri: redirectUri,
      scope: allScopes,
      state: 'the-state',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    };
    url.search = new URLSearchParams(values).toString();
    return url.href;
  };
  const code = async (scope = allScopes, user = 'ada') =>
    (await consent(authorizeUrl({ scope }), user)).searchParams.get('code') ?? '';
  const exchange = (code: string, changes: Record<string, string> = {}) =>
    send('token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...changes,
    });
  return {
    authorizeUrl,
    code,
    exchange,
    send,
    refresh: (token = '') => send('token', { grant_type: 'refresh_token', refresh_token: token }),
    revoke: (token = '') => send('revoke', { token }),
    /** Signs a user in and returns the tokens. */
    signIn: async (scope?: string, user?: string) => (await exchange(await code(scope, user))).body,
  };
}
