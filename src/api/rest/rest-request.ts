import type { IncomingMessage } from 'node:http';
import type { ParsedUrlQuery } from 'node:querystring';

/** A request for which a route was found. */
export interface RestRequest {
  readonly message: IncomingMessage;
  readonly query: ParsedUrlQuery;
  /** The decoded path parameters, such as `id`. */
  readonly params: Readonly<Record<string, string>>;
  /** The JSON body; `undefined` if there is none. */
  body: unknown;
}
