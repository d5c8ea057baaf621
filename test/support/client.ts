export interface Answer {
  status: number;
  headers: Headers;
  body: { status: boolean; data: Record<string, unknown>; error: string | null };
}

export interface ClientOptions {
  baseUrl: string;
  key?: string;
  authToken?: string;
}

/** Calls the gateway over HTTP with plain `fetch`, like its users. */
export class Client {
  readonly options: ClientOptions;

  constructor(options: ClientOptions) {
    this.options = options;
  }

  /** Returns the same client with other credentials. */
  with(changes: Partial<ClientOptions>): Client {
    return new Client({ ...this.options, ...changes });
  }

  /** The credentials as headers. */
  get headers(): { authorization: string; 'x-auth-token': string } {
    const { key = '', authToken = '' } = this.options;
    return { authorization: `Bearer ${key}`, 'x-auth-token': authToken };
  }

  get(path: string, query: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const { authToken } = this.options;
    const search = new URLSearchParams({ ...(authToken && { auth_token: authToken }), ...query });
    return this.send('GET', `${path}?${search}`, undefined, headers);
  }

  post(path: string, body: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.write('POST', path, body, headers);
  }

  /** Sends a request with a body. */
  write(
    method: string,
    path: string,
    body: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const { authToken } = this.options;
    return this.send(method, path, JSON.stringify({ ...(authToken && { auth_token: authToken }), ...body }), {
      'content-type': 'application/json',
      ...headers,
    });
  }

  /** Calls an action with its input in the right place: the path, the query or the body. */
  call(
    { method, path }: { method: string; path: string },
    input: Record<string, unknown>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const left = { ...input };
    const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
      const value = left[name];
      delete left[name];
      return encodeURIComponent(String(value));
    });
    if (method !== 'GET') return this.write(method, filled, left, headers);
    const query = Object.entries(left).map(([name, value]) => [name, String(value)]);
    return this.get(filled, Object.fromEntries(query), headers);
  }

  /** Reads a list page by page. */
  async *pages(path: string, query: Record<string, string> = {}): AsyncGenerator<Answer['body']['data']> {
    let cursor: unknown = null;
    do {
      const { data } = (await this.get(path, { ...query, ...(cursor !== null && { cursor: String(cursor) }) })).body;
      yield data;
      cursor = data['next_cursor'];
    } while (cursor !== null);
  }

  async send(method: string, path: string, body?: BodyInit, headers: Record<string, string> = {}): Promise<Answer> {
    const { baseUrl, key } = this.options;
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
  }
}
