import { PosternError } from '../../shared/errors/postern-error.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { type Credential, credentialHeaders } from '../http/credential-headers.ts';
import type { RestRequest } from './read-input.ts';

type Input = Readonly<Record<string, unknown>>;

/** Reads the actor's token (docs/rest.md, Requests) from the query of a GET, the body of a POST, or the header `x-auth-token`. */
export function readAuthToken(request: RestRequest, input: Input): Secret | null {
  return readSecret('auth_token', input, request);
}

/** Reads the caller's proxy from the query of a GET, the body of a POST, or the header `x-proxy`. */
export function readProxyText(request: RestRequest, input: Input): Secret | null {
  return readSecret('proxy', input, request);
}

/** Reads the actor's encryption code from the input or the header `x-encryption-code`. */
export function readEncryptionCode(request: RestRequest, input: Input): Secret | null {
  return readSecret('encryption_code', input, request);
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
