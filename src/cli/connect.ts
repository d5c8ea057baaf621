import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { capabilities } from '../actions/account/capabilities.ts';
import type { Action } from '../actions/action.ts';
import { connectionDetail, createConnection, reconnect } from '../actions/connection/connections.ts';
import { endpointOf } from '../actions/endpoint.ts';
import { type Input, Transport } from '../client/transport.ts';
import type { Capabilities } from '../shared/model/capabilities.ts';
import type { ConnectionView, StartedConnectionView } from '../shared/model/connection.ts';
import { parseUrl } from '../shared/model/parse-url.ts';
import { printable } from '../shared/model/printable.ts';
import { type Access, readAccess, readDemo } from './access.ts';
import { asCliError } from './call/call.ts';
import type { ConnectOptions } from './connect-command.ts';
import { CliError, print } from './print.ts';

const pollMs = 2_000;

type Send = <Data>(action: Action, input: Input) => Promise<Data>;

/** Signs a user in, and prints the connection. */
export async function connect({ scopes, reconnect: id, paste, open, json }: ConnectOptions): Promise<void> {
  const access = readAccess({});
  const transport = new Transport({ baseUrl: access.baseUrl, apiKey: access.apiKey });
  const send: Send = async <Data>(action: Action, input: Input) => {
    try {
      return (await transport.send<Data>(endpointOf(action), input, {})).data;
    } catch (error) {
      throw asCliError(error, action.name, access);
    }
  };
  const { platform } = await send<Capabilities>(capabilities, {});
  const input = {
    ...(platform === 'atproto' && (await readPassword())),
    ...(scopes !== undefined && { scopes: scopes.split(',') }),
  };
  const started = await (id === undefined
    ? send<StartedConnectionView>(createConnection, input)
    : send<StartedConnectionView>(reconnect, { ...input, id }));
  const connection = await completed(started, { paste, open }, send);
  const { status, error, user } = connection;
  // A failed reconnect leaves the old login as it was.
  if (status !== 'active' || error !== null)
    throw new CliError(`${error ?? 'nobody signed in'} (${started.id})`, 'failed');
  const name = printable(user?.userName ?? '');
  const warning = isPublic(access)
    ? '\nThe demo key is public: every program that reaches this gateway can use the connection, too.'
    : '';
  const next =
    id === undefined ? `\nThe next commands can act as this user:\n  export POSTERN_AUTH_TOKEN=${started.id}` : '';
  print(json, connection, started.id, `Signed in as ${name}.${next}${warning}`);
}

/** Leads the user through the sign-in. Returns the connection when it has ended. */
async function completed(
  { id, authorize_url: page, expires_at }: StartedConnectionView,
  { paste, open }: { paste: boolean | undefined; open: boolean },
  send: Send,
): Promise<ConnectionView> {
  const read = () => send<ConnectionView>(connectionDetail, { id });
  if (page === null) return read();
  if (paste) {
    await signInByPaste(page);
    const connection = await read();
    if (connection.sign_in_ends_at === null) return connection;
    throw new CliError('the gateway did not accept the address: begin again with `postern connect --paste`', 'failed');
  }
  const { stderr } = process;
  stderr.write(`Sign in on this page, which works once, until ${expires_at}:\n\n  ${printable(page)}\n\n`);
  if (open) openBrowser(page);
  stderr.write('Waiting for the sign-in. Ctrl-C stops only the waiting');
  try {
    for (;;) {
      const connection = await read();
      if (connection.sign_in_ends_at === null) return connection;
      await sleep(pollMs);
      stderr.write('.');
    }
  } finally {
    stderr.write('\n');
  }
}

/** Replaces the browser on the gateway's pages: presses Continue, and sends the pasted callback address. The consent page is opened on another machine. */
async function signInByPaste(page: string): Promise<void> {
  const begun = await request(page, { method: 'POST', headers: { origin: new URL(page).origin } });
  const platformPage = parseUrl(begun.headers.get('location') ?? '');
  const [state, returnsTo] = ['state', 'redirect_uri'].map((name) => platformPage?.searchParams.get(name));
  if (!platformPage || !state || !returnsTo)
    throw new CliError(`the gateway did not begin the sign-in: ${begun.status}`, 'unavailable');
  process.stderr.write(
    `Open this address in a browser on any machine, and allow the access:\n\n  ${printable(platformPage.href)}\n\n` +
      `The browser then goes to ${returnsTo}, which may fail to load.\n`,
  );
  const answer = await ask(async (next) => {
    for (;;) {
      const address = parseUrl((await next('Paste its whole address here: ')).trim());
      if (address?.searchParams.get('state') === state) return address.search;
      process.stderr.write('This is not the address of this sign-in: it must have the same state as the page above.\n');
    }
  });
  const cookie = begun.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
  await request(`${returnsTo}${answer}`, { headers: { cookie: cookie.join('; ') } });
}

async function request(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(30_000) }).catch(() => {
    throw new CliError(`no response of ${new URL(url).origin}, the address of the gateway for browsers`, 'unavailable');
  });
  await response.arrayBuffer();
  return response;
}

function readPassword(): Promise<{ identifier: string; app_password: string }> {
  return ask(async (next) => ({
    identifier: (await next('Handle or DID: ')).trim(),
    app_password: (await next('App password (not shown): ', { isHidden: true })).trim(),
  }));
}

type Next = (prompt: string, options?: { isHidden: boolean }) => Promise<string>;

/** Prompts for lines on standard input. A terminal does not echo hidden input. */
async function ask<T>(work: (next: Next) => Promise<T>): Promise<T> {
  let isMuted = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isMuted) process.stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY === true });
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const texts = lines[Symbol.asyncIterator]();
  const next: Next = async (prompt, { isHidden } = { isHidden: false }) => {
    process.stderr.write(prompt);
    isMuted = isHidden;
    const { value, done } = await texts.next();
    isMuted = false;
    if (isHidden || process.stdin.isTTY !== true) process.stderr.write('\n');
    if (done) throw new CliError('standard input has ended before the answer');
    return value;
  };
  try {
    return await work(next);
  } finally {
    lines.close();
  }
}

/** Opens a page if this machine has a browser. The user can open the printed address otherwise. */
function openBrowser(page: string): void {
  const { platform, env } = process;
  const hasDesktop = platform === 'darwin' || platform === 'win32' || env['DISPLAY'] || env['WAYLAND_DISPLAY'];
  if (!hasDesktop || env['SSH_CONNECTION'] || !/^https?:/i.test(page)) return;
  const program = platform === 'darwin' ? 'open' : platform === 'win32' ? 'explorer' : 'xdg-open';
  spawn(program, [page], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

/** Returns true for the demo key, which anybody can compute. */
function isPublic({ apiKey }: Access): boolean {
  try {
    return readDemo().apiKey === apiKey;
  } catch {
    return false;
  }
}
