/** A response of `/graphql`. */
export interface GraphqlAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: its shape is the query's affair
  data: any;
  errors: readonly GraphqlFailure[];
  extensions: Bill;
}

export interface GraphqlFailure {
  message: string;
  path?: readonly (string | number)[];
  extensions: { code: string; status: number; field?: string; retryAfterSeconds?: number };
}

export interface Bill {
  cost: { quoted: string; actual: string; limit: string };
  credits: {
    charged: string;
    remaining: string | null;
    actions: readonly { name: string; calls: number; charged: string }[];
  };
}

export interface GraphqlCaller {
  url: string;
  key?: string;
  authToken?: string;
}

/** Calls `/graphql` over HTTP with plain `fetch`, like its users. */
export class GraphqlClient {
  readonly options: GraphqlCaller;

  constructor(options: GraphqlCaller) {
    this.options = options;
  }

  /** Returns the same client with other credentials. */
  with(changes: Partial<GraphqlCaller>): GraphqlClient {
    return new GraphqlClient({ ...this.options, ...changes });
  }

  async ask(
    query: string,
    variables: Readonly<Record<string, unknown>> = {},
    headers: Record<string, string> = {},
    signal: AbortSignal | null = null,
  ): Promise<GraphqlAnswer> {
    const { url, key, authToken } = this.options;
    const response = await fetch(url, {
      method: 'POST',
      signal,
      headers: {
        'content-type': 'application/json',
        // With this media type, a document that is refused as a whole has its own status (GraphQL over HTTP, section 6.4.2).
        accept: 'application/graphql-response+json, application/json;q=0.9',
        ...(key && { authorization: `Bearer ${key}` }),
        ...(authToken && { 'x-auth-token': authToken }),
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
    });
    const { data = null, errors = [], extensions } = (await response.json()) as Partial<GraphqlAnswer>;
    return { status: response.status, headers: response.headers, data, errors, extensions: extensions as Bill };
  }
}
