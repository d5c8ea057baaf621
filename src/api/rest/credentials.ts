import type { Action, Credentials } from '../../actions/action.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { type Credential, credentialHeaders } from '../http/request.ts';
import type { RestRequest } from './read-input.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * Reads the credentials that an action accepts (docs/rest.md, Requests), from the query of a GET, the body of other methods, or their
 * headers. Throws `bad_input`.
 */
export function readCredentials(action: Action, request: RestRequest, input: Input): Credentials {
  return {
    authToken: readSecret('auth_token', input, request),
    proxy: action.actor || action.keepsActor ? readSecret('proxy', input, request) : null,
    encryptionCode: action.code === 'none' ? null : readSecret('encryption_code', input, request),
  };
}

function readSecret(field: Credential, input: Input, request: RestRequest): Secret | null {
  const header = credentialHeaders[field];
  const inInput = input[field] ?? undefined;
  if (inInput !== undefined && typeof inInput !== 'string') {
    throw new PosternError('malformed_field', `Malformed field: ${field}: must be a string`);
  }
  const inHeader = request.message.headers[header];
  if (typeof inHeader === 'string' && inInput !== undefined && inHeader !== inInput) {
    throw new PosternError('malformed_field', `Malformed field: ${field}: differs from the header ${header}`);
  }
  const value = inInput ?? inHeader;
  return typeof value === 'string' ? new Secret(value) : null;
}
