import { createServer, type ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import type { EndedLogin } from '../../src/connections/logins.ts';
import { startConnections } from '../../src/main/start-connections.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { ProxyPool } from '../../src/outbound/proxy-pool.ts';
import { XPlatform } from '../../src/platform/x/adapter.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { operator } from '../../src/shared/model/audit.ts';
import { makeLogger } from '../../src/shared/observability/logger.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import type { Store } from '../../src/store/port.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import { atEnd } from '../support/at-end.ts';
import { originOf } from '../support/listen.ts';
import { useStore } from '../support/use-store.ts';

export const publicUrl = 'http://127.0.0.1:3000';
export const account = 'acc_1';
export const scopes = ['tweet.read', 'users.read', 'offline.access'];

/** What the platform does with a token request. `lost` performs it and breaks the connection. */
export type TokenFault = 'lost' | 'failed' | 'refused' | 'held' | 'limited' | null;

/** A platform with OAuth 2.0, whose access tokens live for an hour and whose refresh tokens work once. */
export async function oauthServer() {
  const requests: { path: string; form: URLSearchParams; authorization: string | undefined }[] = [];
  const valid = { access: new Map<string, string>(), refresh: new Map<string, string>() };
  const state = {
    user: '7',
    revokes: true,
    scopes: scopes.join(' '),
    fault: null as TokenFault,
    made: 0,
    seconds: 3_600,
    /** Tokens of `/2/users/me`, in order. */
    used: [] as string[],
    /** The sizes of uploads. */
    uploads: [] as number[],
    release: () => {},
    requests,
    refreshes: () => requests.filter(({ form }) => form.get('grant_type') === 'refresh_token').length,
    /** Withdraws the consent: no token works any more. */
    withdraw() {
      valid.access.clear();
      valid.refresh.clear();
    },
    /** Ends the access tokens only. */
    endAccess: () => valid.access.clear(),
  };
  const issue = (user: string) => {
    state.made += 1;
    const [access, refresh] = [`access-${state.made}`, `refresh-${state.made}`];
    valid.access.set(access, user);
    valid.refresh.set(refresh, user);
    return {
      token_type: 'bearer',
      access_token: access,
      refresh_token: refresh,
      expires_in: state.seconds,
      scope: state.scopes,
    };
  };
  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const server = createServer(async (request, response) => {
    const { pathname: path } = new URL(request.url ?? '', 'http://x');
    if (path === '/2/users/me') {
      const token = (request.headers.authorization ?? '').replace('Bearer ', '');
      state.used.push(token);
      const user = valid.access.get(token);
      if (user === undefined) return json(response, 401, { title: 'Unauthorized', type: 'about:blank', status: 401 });
      return json(response, 200, { data: { id: user, username: `user_${user}`, name: `User ${user}` } });
    }
    if (path === '/2/media/upload') {
      const size = (await buffer(request)).length;
      const isValid = valid.access.has((request.headers.authorization ?? '').replace('Bearer ', ''));
      state.uploads.push(size);
      return isValid ? json(response, 200, { data: { id: '9' } }) : json(response, 401, { status: 401 });
    }
    const form = new URLSearchParams(await text(request));
    requests.push({ path, form, authorization: request.headers.authorization });
    const fault = path === '/2/oauth2/token' ? state.fault : null;
    if (fault === 'failed') return json(response, 503, {});
    if (fault === 'limited') return response.writeHead(429, { 'retry-after': '300' }).end('{}');
    if (fault === 'held')
      await new Promise<void>((resolve) => {
        state.release = resolve;
      });
    if (path === '/2/oauth2/revoke' && !state.revokes) return json(response, 503, {});
    if (path === '/2/oauth2/revoke')
      return json(response, 200, { revoked: valid.refresh.delete(form.get('token') ?? '') });
    const old = form.get('refresh_token');
    const user = old === null ? state.user : valid.refresh.get(old);
    if (old !== null) valid.refresh.delete(old);
    if (user === undefined || fault === 'refused') return json(response, 400, { error: 'invalid_request' });
    const body = issue(user);
    if (fault === 'lost') return request.socket.destroy();
    return json(response, 200, body);
  });
  return Object.assign(state, { origin: await originOf(server) });
}

type OauthServer = Awaited<ReturnType<typeof oauthServer>>;

/** Processes with connections that share one store and one platform. */
export async function useConnections() {
  const runtime = new AdjustableRuntime();
  const { store } = await useStore(runtime);
  const x = await oauthServer();
  await store.accounts.create({ id: account, name: 'Customer', createdAt: runtime.now() });
  return {
    runtime,
    store,
    x,
    process: (options: ProcessOptions = {}) => connectionProcess(store, runtime, x, options),
  };
}

interface ProcessOptions {
  url?: string | null;
  hasApp?: boolean;
  issuer?: string;
  /** The byte that the secret key repeats. */
  keyByte?: number;
}

function connectionProcess(
  store: Store,
  runtime: AdjustableRuntime,
  { origin }: OauthServer,
  { url = publicUrl, hasApp = true, issuer = 'x', keyByte = 7 }: ProcessOptions,
) {
  const ended: EndedLogin[] = [];
  const changed: string[] = [];
  const started = startConnections({
    store,
    runtime,
    logger: makeLogger({ level: 'fatal', format: 'json' }, { write: () => {} }),
    secretKeys: [new Secret(Buffer.alloc(32, keyByte))],
    issuer,
    onChange: async (_account, id) => void changed.push(id),
    sealEnd(end) {
      ended.push(end);
      return { id: end.key, account: end.account, type: 'connection.expired', sealed: 'sealed' };
    },
  });
  const { logins } = started;
  const guard = new OutboundGuard({ allow: [], runtime });
  const proxies = new ProxyPool({ guard, runtime, maxResponseBytes: 1_024, timeoutMs: 1_000 });
  const platform = new XPlatform({
    ...{ origin, runtime, proxies, logins, timeoutMs: 5_000, identifiers: null, appToken: null },
    app: hasApp ? { clientId: 'app', clientSecret: null } : null,
    onCreditExhausted: () => {},
  });
  const config = readConfig({ CORS_ORIGINS: 'https://app.example', PLATFORM_KIND: 'x' });
  const { flow: steps, service } = started.open(platform, () => url, config);
  atEnd(async () => {
    await started.close();
    await platform.close();
    await proxies.close();
  });
  const common = { account, author: operator, scopes: null, returnTo: null, login: null };
  const call = (authToken: string, of = account) => ({ account: of, authToken: new Secret(authToken), signal: null });
  const credential = async (id: string, refused?: string) =>
    (await logins.credentialOf(call(id), refused === undefined ? null : new Secret(refused))).expose();
  /** Goes through the pages of a sign-in as one browser does. Returns the result. */
  const signIn = async (authorizeUrl: string, answer: { code: string | null; error?: string } = { code: 'code-1' }) => {
    const begun = await steps.begin(authorizeUrl.slice(authorizeUrl.lastIndexOf('/') + 1), null);
    if ('refusal' in begun) throw new Error(begun.refusal);
    const state = new URL(begun.authorizeUrl).searchParams.get('state') ?? '';
    return steps.finish({ state, error: null, cookie: begun.cookie.expose(), ...answer });
  };
  const as = (id: string) =>
    platform.as({ account, authToken: new Secret(id), proxy: null, signal: null, tokenFor: () => '' });
  const begin = (token = 'token') => service.create({ ...common, scopes, token });
  return {
    ...{ steps, service, logins, platform, ended, changed, common, credential, signIn, begin },
    /** Returns the id of a connection to which user 7 has signed in. */
    async connect(token = 'token') {
      const { id, authorize_url } = await begin(token);
      await signIn(authorize_url ?? '');
      return id;
    },
    as,
    me: async (id: string) => (await as(id).ownProfile()).userName,
  };
}
