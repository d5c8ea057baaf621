import { type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { atEnd } from '../support/at-end.ts';
import { violations } from './contract.ts';

export interface Account {
  userName: string;
  userId: string;
  authToken: string;
  encryptionCode: string;
  premium: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are checked against the contract, not against types
export type Json = any;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

export interface Options {
  readonly as?: Account;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly unchecked?: boolean;
}

/** The targets and the media of a new post. */
interface More {
  readonly replyTo?: string;
  readonly quoteOf?: string;
  readonly media?: readonly string[];
}

const ofPost =
  'post.fields=article,attachments,conversation_id,created_at,entities,public_metrics&expansions=author_id,in_reply_to_user_id,referenced_posts';

export function bearer({ authToken }: Pick<Account, 'authToken'>): Record<string, string> {
  return { authorization: `Bearer ${authToken}`, 'x-sandbox-extensions': '1' };
}

/** Returns why a post or a user is missing, by X's type of problem and the reason of the sandbox. */
export function missing({ status, body }: Reply): unknown[] {
  const [{ type = '', reason = null } = {}] = body.errors ?? [];
  return [status, type.split('/').at(-1), reason];
}

/** Returns the name of the input that a response refuses. */
export function fieldOf({ body }: Reply): string | undefined {
  return Object.keys(body.errors?.[0].parameters ?? {})[0];
}

/** A sandbox with helper functions, which closes with the test. */
export async function openSandbox(options: Partial<SandboxOptions> = {}) {
  const sandbox = await startSandbox({ port: 0, dataDir: null, pinHashing: 'FastInsecure', ...options });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= sandbox.close();
    return closing;
  };
  atEnd(close);
  const call = (method: string, path: string, options: Options = {}) => request(sandbox.url, method, path, options);
  const info = (await call('GET', '/control/info')).body;
  const [ada, grace, linus] = info.demo.accounts as [Account, Account, Account];
  /** Calls X's API, with the extensions of the sandbox. */
  const x = (path: string, as: Account = ada, { method = 'GET', ...options }: Options & { method?: string } = {}) =>
    call(method, path, {
      ...options,
      headers: { ...bearer(as), ...options.headers },
      unchecked: !path.startsWith('/sandbox/'),
    });
  return {
    url: sandbox.url,
    info,
    ada,
    grace,
    linus,
    call,
    get: (path: string, as: Account = ada) => call('GET', path, { as }),
    x,
    /** Searches for posts and returns up to 100, newest first. */
    async search(query: string, as: Account = ada): Promise<Json[]> {
      return (await x(`/2/tweets/search/all?max_results=100&query=${encodeURIComponent(query)}`, as)).body.data ?? [];
    },
    tweet: (text: string, as: Account = ada, { replyTo, quoteOf, media }: More = {}, headers = {}) => {
      const reply = replyTo === undefined ? undefined : { in_reply_to_tweet_id: replyTo };
      const body = { text, reply, quote_tweet_id: quoteOf, media: media && { media_ids: media } };
      return x('/2/tweets', as, { method: 'POST', body, headers });
    },
    remove: (id: string, as: Account = ada, headers = {}) => x(`/2/tweets/${id}`, as, { method: 'DELETE', headers }),
    /** Marks a post (`likes`, `bookmarks`, `retweets`), or relates to a user (`following`, `blocking`, `muting`). */
    set(part: string, id: string, as: Account = ada) {
      const body = { [part.endsWith('ing') ? 'target_user_id' : 'tweet_id']: id };
      return x(`/2/users/${as.userId}/${part}`, as, { method: 'POST', body });
    },
    clear: (part: string, id: string, as: Account = ada) =>
      x(`/2/users/${as.userId}/${part}/${id}`, as, { method: 'DELETE' }),
    /** Returns a post. */
    async post(id: string, as: Account = ada): Promise<Json> {
      return (await x(`/2/tweets/${id}?${ofPost}`, as)).body.data;
    },
    /** Returns a user by name. */
    async user(name: string, as: Account = ada): Promise<Json> {
      const fields = 'public_metrics,connection_status,subscription_type,profile_image_url,protected';
      return (await x(`/2/users/by/username/${name}?user.fields=${fields}`, as)).body.data;
    },
    control: (path: string, body: object = {}) => call('POST', `/control/${path}`, { body }),
    fault: (fault: object, target: object = {}) => call('POST', '/control/faults', { body: { fault, ...target } }),
    async mint(wishes: object = {}): Promise<Account> {
      return (await call('POST', '/control/accounts', { body: wishes })).body.accounts[0];
    },
    close,
  };
}

export type OpenSandbox = Awaited<ReturnType<typeof openSandbox>>;

export async function request(url: string, method: string, path: string, options: Options = {}): Promise<Reply> {
  const headers: Record<string, string> = { ...options.headers };
  if (options.as !== undefined) headers['authorization'] = `Bearer ${options.as.authToken}`;
  const init: RequestInit = { method, headers, redirect: 'manual' };
  if (options.body !== undefined) {
    headers['content-type'] ??= 'application/json';
    init.body = typeof options.body === 'string' ? options.body : JSON.stringify(options.body);
  }
  const response = await fetch(url + path, init);
  const text = await response.text();
  const isJson = /^application\/(?:problem\+)?json/.test(response.headers.get('content-type') ?? '');
  const body = isJson ? JSON.parse(text) : text;
  // Every response is checked against the contract, except responses that a fault changed on purpose.
  const wrong = options.unchecked === true ? [] : violations(method, path, response.status, body);
  if (wrong.length > 0)
    throw new Error(`${method} ${path} ${response.status}: ${wrong.join('; ')}\n${text.slice(0, 2000)}`);
  return { status: response.status, headers: response.headers, body };
}
