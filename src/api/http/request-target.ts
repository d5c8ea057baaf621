import { type ParsedUrlQuery, parse } from 'node:querystring';

/** The target of a request (RFC 9112 section 3.2) without its fragment. */
export interface RequestTarget {
  readonly path: string;
  /** The text after the question mark; an empty string if there is none. */
  readonly query: string;
}

/** Reads a request target in origin form (`/v1/account?a=b`) or absolute form (`http://host/v1/account?a=b`). */
export function readTarget(url: string): RequestTarget {
  const [target = ''] = url.split('#', 1);
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const at = local.indexOf('?');
  return at === -1 ? { path: local, query: '' } : { path: local.slice(0, at), query: local.slice(at + 1) };
}

/** Parses a query. Node's default would drop all parameters after the first thousand; the limit of 16 KiB for a request line bounds their number. */
export function parseQuery(query: string): ParsedUrlQuery {
  return parse(query, '&', '=', { maxKeys: 0 });
}
