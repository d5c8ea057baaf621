import type { FormattedExecutionResult } from 'graphql';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { errorCodeHeader, errorCodes, errorTable } from '../../shared/errors/table.ts';
import { endResponse } from '../http/end-response.ts';
import { toJson } from '../http/json-size.ts';
import { mediaRanges } from '../http/media-ranges.ts';
import { noteError, showRate } from '../http/request-locals.ts';
import { publicError } from './errors.ts';
import type { GraphqlRequest } from './request.ts';

const newer = 'application/graphql-response+json';
const older = 'application/json';

/**
 * Writes a result. The status is 200 if the result has data, otherwise the status of its worst error. A query's result that is longer
 * than the limit is replaced by an error with the same `extensions`, because the caller must see the cost of the calls that ran.
 */
export function respond(result: FormattedExecutionResult, state: GraphqlRequest, bytesLimit: number): void {
  const { response } = state;
  let sent = result;
  // `execute` has shortened the response of a mutation. It is not replaced, because it says what was written.
  let json = state.operationType === 'mutation' ? JSON.stringify(result) : toJson(result, bytesLimit);
  if (json === null) {
    const error = tooLarge(bytesLimit);
    noteError(response, error);
    sent = { errors: [publicError(error)], extensions: result.extensions ?? {} };
    state.isInvalid = false;
    json = JSON.stringify(sent);
  }
  response.statusCode = 200;
  showRate(response);
  const type = responseType(state.request.headers.accept);
  if (sent.data == null) showErrors(sent, state, type);
  response.setHeader('content-type', `${type}; charset=utf-8`);
  endResponse(response, json);
}

export function tooLarge(bytesLimit: number): PosternError {
  return new PosternError(
    'response_size_limit',
    `Too large: the response has more than ${bytesLimit} bytes. Select fewer items (first) or fewer long texts`,
  );
}

/** Sets the status and the headers of a response without data. */
function showErrors({ errors = [] }: FormattedExecutionResult, { response, isInvalid }: GraphqlRequest, type: string) {
  for (const { extensions = {} } of errors) {
    const status = Number(extensions['status']);
    if (status === 401) response.setHeader('www-authenticate', 'Bearer');
    if (extensions['retryAfterSeconds'] !== undefined)
      response.setHeader('retry-after', String(extensions['retryAfterSeconds']));
    // GraphQL over HTTP requires status 200 for an invalid document if the caller accepts only `application/json`.
    if ((isInvalid && type === older) || status <= response.statusCode) continue;
    response.statusCode = status;
    const code = errorCodes.find(
      (each) => errorTable[each].status === status && errorTable[each].graphql === extensions['code'],
    );
    response.setHeader(errorCodeHeader, code ?? 'internal');
  }
}

/**
 * Selects the media type of the response from the request's `Accept` header (RFC 9110 section 12.5.1). If both types have the same quality,
 * the newer type is used. If the caller accepts neither, the response is JSON, because a 406 would hide the result of calls that were
 * performed and charged.
 */
function responseType(accept = '*/*'): string {
  const ranges = mediaRanges(accept);
  const weigh = (type: string) => ranges.get(type) ?? 0;
  return weigh(newer) > 0 && weigh(newer) >= weigh(older) ? newer : older;
}
