import { type ExecutionResult, type FormattedExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { errorTable } from '../../shared/errors/table.ts';
import { logFailure } from '../../shared/observability/failures.ts';
import type { Logger } from '../../shared/observability/logger.ts';
import { noteError } from '../http/request-locals.ts';
import { withoutValues } from './document/graphql-js-messages.ts';
import type { GraphqlRequest } from './request.ts';
import { inputName } from './schema/names.ts';

/** Matches snake_case field names of REST in an error message. */
const snakeCase = /\b[a-z]+(?:_[a-z]+)+\b/g;

/** The maximum number of entries of `errors` in one response. */
export const errorsLimit = 200;

/**
 * Converts the errors of a result to their public form and masks unexpected ones. Logs each error once, because several fields may share the
 * error of one call.
 */
export function formatResult(
  { errors: all, ...rest }: ExecutionResult,
  state: GraphqlRequest,
  logger: Logger,
): FormattedExecutionResult {
  if (!all) return rest;
  const logged = new Set<PosternError>();
  const errors = all.slice(0, all.length > errorsLimit + 1 ? errorsLimit : undefined).map((error) => {
    const original = originalOf(error);
    const logging = original ?? new PosternError('invalid_document', error.message);
    if (!logged.has(logging)) {
      logged.add(logging);
      noteError(state.response, logging);
      logFailure(logger, state.requestId, logging);
    }
    return original ? publicError(original, error) : publicDocumentError(error);
  });
  const left = all.length - errors.length;
  if (left > 0)
    errors.push(publicError(new PosternError('document_limit', `Too many errors: ${left} more are left out`)));
  state.errors = errors.length;
  state.isInvalid = all.every((error) => originalOf(error) === null);
  // Errors come first (https://spec.graphql.org/October2021/#sec-Response-Format).
  return { errors, ...rest };
}

/** Returns the errors with which a request is refused as a whole, from any value that was thrown. */
export function thrownErrors(thrown: unknown): readonly GraphQLError[] {
  if (thrown instanceof AggregateError) return thrown.errors as GraphQLError[];
  if (thrown instanceof GraphQLError) return [thrown];
  return [new GraphQLError('', { originalError: asPosternError(thrown) })];
}

/** Returns the error that a resolver threw. Returns `null` for an error of graphql-js about the document or its variables. */
function originalOf(error: GraphQLError): PosternError | null {
  let found: unknown = error;
  while (found instanceof GraphQLError && found.originalError) found = found.originalError;
  return found instanceof GraphQLError ? null : asPosternError(found);
}

/** Returns a copy of the error with a different field name. */
export function renamed({ reason, message, field = '' }: PosternError, name: string): PosternError {
  return new PosternError(reason, message.replace(field, name), { field: name });
}

/** Converts an error to the public form. `where` is the GraphQL error of the field; it is omitted for an error of the whole request. */
export function publicError(
  { code, status, message, field, retryAfterSeconds, ids }: PosternError,
  { locations, path, extensions }: Partial<GraphQLError> = {},
): GraphQLFormattedError {
  const spelled = field === undefined ? undefined : inputName(field);
  return {
    message: field === undefined ? message : message.replace(field, inputName).replaceAll(snakeCase, inputName),
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: {
      code: errorTable[code].graphql,
      status,
      ...(spelled !== undefined && { field: spelled }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(ids && { ids }),
      ...extensions,
    },
  };
}

function publicDocumentError({ message, locations, path }: GraphQLError): GraphQLFormattedError {
  return {
    message: withoutValues(message),
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { code: errorTable.bad_input.graphql, status: errorTable.bad_input.status },
  };
}
