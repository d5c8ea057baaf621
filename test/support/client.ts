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

/** Calls the gateway as its users do: over HTTP, with plain `fetch`. */
export class Client {
  readonly options: ClientOptions;

  constructor(options: ClientOptions) {
    this.options = options;
  }

  /** The same with other credentials. */
  with(changes: Partial<ClientOptions>): Client {
    return new Client({ ...this.options, ...changes });
  }

  get(path: string, query: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const { authToken } = this.options;
    const search = new URLSearchParams({ ...(authToken && { auth_token: authToken }), ...query });
    return this.send('GET', `${path}?${search}`, undefined, headers);
  }

  post(path: string, body: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const { authToken } = this.options;
    return this.send('POST', path, JSON.stringify({ ...(authToken && { auth_token: authToken }), ...body }), {
      'content-type': 'application/json',
      ...headers,
    });
  }

  async send(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Answer> {
    const { baseUrl, key } = this.options;
    const response = await fetch(baseUrl + path, {
      method,
      headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
  }
}
