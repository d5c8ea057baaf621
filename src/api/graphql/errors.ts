import { GraphQLError } from 'graphql';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { errorTable } from '../../shared/errors/table.ts';
import { withoutValues } from './graphql-js-messages.ts';
import { inputName } from './names.ts';
import type { HttpExtension } from './respond.ts';

/** Matches snake_case field names of REST in an error message. */
const snakeCase = /\b[a-z]+(?:_[a-z]+)+\b/g;

/** The maximum number of entries of `errors` in one response. */
export const errorsLimit = 200;

/** Creates the GraphQL error for a request that is refused as a whole. */
export function refusal(error: PosternError): GraphQLError {
  return withHttp(toPublicError(error), error);
}

/**
 * Converts errors to the public form, in which `extensions` has `code` and `status` from the error table. Masks unexpected errors. Calls
 * `onError` for each error. If the result has no data, the error with the highest status determines the status of the response.
 */
export function formatErrors(
  all: readonly GraphQLError[],
  hasData: boolean,
  onError: (error: PosternError) => void,
): GraphQLError[] {
  const errors = all.length > errorsLimit + 1 ? all.slice(0, errorsLimit) : all;
  const formatted = errors.map((error) => {
    const { code, status } = error.extensions ?? {};
    const original = originalOf(error);
    if (code !== undefined && status !== undefined) {
      if (original instanceof PosternError) onError(original);
      return keepStatus(error);
    }
    if (original === null) {
      onError(new PosternError('invalid_document', error.message));
      return asBadInput(error, hasData);
    }
    const known = asPosternError(original);
    onError(known);
    const described = toPublicError(known, error);
    return hasData ? described : withHttp(described, known);
  });
  const left = all.length - errors.length;
  if (left > 0)
    formatted.push(toPublicError(new PosternError('document_limit', `Too many errors: ${left} more are left out`)));
  return formatted;
}

/**
 * Yoga sets `spec` on every error that occurs before execution, which allows status 200. Errors with which this service refuses a request
 * keep their own status.
 */
function keepStatus(error: GraphQLError): GraphQLError {
  const http = error.extensions?.['http'] as HttpExtension | undefined;
  return http?.spec ? again(error, { ...error.extensions, http: { ...http, spec: false } }) : error;
}

/** Returns the error that a resolver threw. Returns `null` for an error of graphql-js about the document or its variables. */
function originalOf(error: GraphQLError): unknown {
  let found: unknown = error;
  while (found instanceof GraphQLError && found.originalError) found = found.originalError;
  if (!(found instanceof GraphQLError)) return found;
  return null;
}

/** Returns a copy of the error with a different field name. */
export function renamed({ reason, message, field = '' }: PosternError, name: string): PosternError {
  return new PosternError(reason, message.replace(field, name), { field: name });
}

/** Converts an error to the public form. `where` is the GraphQL error of the field; it is omitted for an error of the whole request. */
export function toPublicError(original: PosternError, where?: GraphQLError): GraphQLError {
  const { code, status, message, field, retryAfterSeconds, ids } = original;
  const spelled = field === undefined ? undefined : inputName(field);
  const text = field === undefined ? message : message.replace(field, inputName).replaceAll(snakeCase, inputName);
  const extensions = {
    code: errorTable[code].graphql,
    status,
    ...(spelled !== undefined && { field: spelled }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(ids && { ids }),
  };
  return placed(text, where, extensions, original);
}

/**
 * Adds `extensions.http`, from which `respond` sets the status and the headers. `respond` removes `extensions.http` from the response body.
 */
function withHttp(error: GraphQLError, { code, status, retryAfterSeconds }: PosternError): GraphQLError {
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  return again(error, { ...error.extensions, http: { status, headers, code } });
}

/**
 * Keeps `extensions.http`, because GraphQL over HTTP allows status 200 for an invalid document if the caller accepts only
 * `application/json`.
 */
function asBadInput(error: GraphQLError, hasData: boolean): GraphQLError {
  const http = (error.extensions?.['http'] as HttpExtension | undefined) ?? { spec: true, status: 400 };
  const status = http.status ?? 400;
  const extensions = { code: errorTable.bad_input.graphql, status, ...(!hasData && { http }) };
  return again(error, extensions, withoutValues(error.message));
}

function again(error: GraphQLError, extensions: Record<string, unknown>, message = error.message): GraphQLError {
  return placed(message, error, extensions, error.originalError);
}

/**
 * Creates an error with the same path and locations, but without the original error, which must not be sent. Errors of compiled documents
 * have `locations` but no `nodes`.
 */
function placed(
  message: string,
  where: GraphQLError | undefined,
  extensions: Record<string, unknown>,
  originalError: Error | undefined,
): GraphQLError {
  const { nodes = null, source = null, positions = null, path = null, locations } = where ?? {};
  const error = new GraphQLError(message, { nodes, source, positions, path, extensions, originalError });
  return locations && !error.locations ? Object.assign(error, { locations }) : error;
}
