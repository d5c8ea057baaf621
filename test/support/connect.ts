import type { Client } from './client.ts';
import { consent } from './sandbox-sign-in.ts';

/** Signs a user of the sandbox in with the link of a connection, as a browser does. Returns the last response. */
export async function signInAt(authorizeUrl: string, user = 'ada'): Promise<Response> {
  const { origin } = new URL(authorizeUrl);
  const begun = await fetch(authorizeUrl, { method: 'POST', headers: { origin }, redirect: 'manual' });
  const [cookie = ''] = begun.headers.get('set-cookie')?.split(';') ?? [];
  const callback = await consent(begun.headers.get('location') ?? '', user);
  return fetch(callback, { headers: { cookie }, redirect: 'manual' });
}

/** Makes a connection to which a user of the sandbox has signed in. Returns its id. */
export async function connect(client: Client, user = 'ada', scopes?: readonly string[]): Promise<string> {
  const { body } = await client.with({ authToken: '' }).post('/connections', scopes ? { scopes } : {});
  const { id, authorize_url: url } = body.data;
  await signInAt(String(url), user);
  return String(id);
}
