import { createServer } from 'node:http';
import { expect } from 'vitest';
import { close, originOf } from './listen.ts';
import { differencesFromX, readRequest } from './x-document.ts';

/**
 * Starts a server that passes requests on to a sandbox and checks them, and their answers, against X's document. `stop`
 * fails if something differed.
 */
export async function startCheckedX(sandboxUrl: string) {
  const found = new Set<string>();
  const server = createServer(async (request, response) => {
    const { bytes, ...sent } = await readRequest(request);
    const { authorization = '' } = request.headers;
    const headers = { authorization, ...(sent.type !== undefined && { 'content-type': sent.type }) };
    const init = { method: sent.method, headers, body: bytes.byteLength > 0 ? bytes : null };
    const { status, headers: received, ...answer } = await ask(sandboxUrl + sent.url, init);
    const type = received.get('content-type') ?? '';
    const differences = differencesFromX(sent, { status, type, body: JSON.parse(answer.text) });
    for (const each of differences) found.add(`${sent.method} ${sent.url} ${status}: ${each}`);
    response.writeHead(status, Object.fromEntries(received)).end(answer.text);
  });
  return {
    url: await originOf(server),
    async stop() {
      await close(server);
      expect([...found]).toEqual([]);
    },
  };
}

async function ask(url: string, init: RequestInit) {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}
