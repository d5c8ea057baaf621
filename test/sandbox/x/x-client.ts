import { type CheckedAnswer, differencesFromX } from '../../support/x-document.ts';
import { violations } from '../contract.ts';
import { type Json, type OpenSandbox, openSandbox } from '../harness.ts';

/** A sandbox with a client of X's API. Every call in the newer vocabulary is checked against X's document. */
export async function openX() {
  const sandbox = await openSandbox();
  const send = (path: string, token: string, extended: boolean, unchecked: boolean) =>
    ask(sandbox, path, token, extended, unchecked || extended);
  const { ada } = sandbox;
  return {
    ...sandbox,
    appToken: sandbox.info.demo.appToken as string,
    /** Calls without the extensions, by default as Ada. */
    x: (path: string, token = ada.authToken) => send(path, token, false, false),
    /** Calls that X's document does not allow, such as those with wrong values. */
    wrong: (path: string, token = ada.authToken) => send(path, token, false, true),
    extended: (path: string, token = ada.authToken) => send(path, token, true, false),
    /** Returns the items of all pages. */
    async all(path: string, token = ada.authToken, extended = false): Promise<Json[]> {
      const items: Json[] = [];
      let next: string | undefined;
      do {
        const separator = path.includes('?') ? '&' : '?';
        const page = next === undefined ? '' : `${separator}pagination_token=${next}`;
        const { body } = await send(path + page, token, extended, false);
        items.push(...(body.data ?? []));
        next = body.meta.next_token;
      } while (next !== undefined);
      return items;
    },
  };
}

async function ask({ url }: OpenSandbox, path: string, token: string, extended: boolean, unchecked: boolean) {
  const headers = { authorization: `Bearer ${token}`, ...(extended && { 'x-sandbox-extensions': '1' }) };
  const response = await fetch(url + path, { headers });
  const { status } = response;
  const type = response.headers.get('content-type') ?? '';
  const body: Json = await response.json();
  const differences = differencesOf(path, unchecked, { status, type, body });
  if (differences.length > 0) throw new Error(`${path} ${status}: ${differences.join('; ')}`);
  return { status, body, headers: response.headers };
}

function differencesOf(path: string, unchecked: boolean, answer: CheckedAnswer): string[] {
  if (path.startsWith('/sandbox/')) return violations('GET', path, answer.status, answer.body);
  const isOlder = /tweet\.fields|[=,](?:referenced|pinned|edit_history)_tweet/.test(path);
  return unchecked || isOlder ? [] : differencesFromX({ method: 'GET', url: path }, answer);
}
