import type { ToolResult } from '../mcp/agents.ts';

interface Credentials {
  key?: string;
  authToken?: string;
  encryptionCode?: string;
}

/** Calls the tools of `/mcp` with plain `fetch`, so that many calls can run at the same time. */
export class McpCaller {
  readonly #url: string;
  readonly #credentials: Credentials;
  #id = 0;

  constructor(url: string, credentials: Credentials) {
    this.#url = url;
    this.#credentials = credentials;
  }

  /** Sends any body. */
  send(body: string, headers: Record<string, string> = {}): Promise<Response> {
    const { key, authToken, encryptionCode } = this.#credentials;
    return fetch(this.#url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        ...(authToken && { 'x-auth-token': authToken }),
        ...(encryptionCode && { 'x-encryption-code': encryptionCode }),
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      body,
    });
  }

  /** Calls a tool. Throws if the response is not the result of a tool. */
  async call(name: string, input: Record<string, unknown>): Promise<ToolResult> {
    const params = { name, arguments: input };
    const message = { jsonrpc: '2.0', id: ++this.#id, method: 'tools/call', params };
    const text = await (await this.send(JSON.stringify(message))).text();
    // The handler of the protocol may respond with a stream of one event.
    const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
    const { result } = JSON.parse(json) as {
      result?: { isError?: boolean; content: { text: string }[]; structuredContent: ToolResult['structured'] };
    };
    if (!result) throw new Error(`no result of ${name}: ${text}`);
    const { isError = false, content, structuredContent: structured } = result;
    return { isError, text: content[0]?.text ?? '', structured };
  }
}
