import { z } from 'zod';
import { malformedField, missingField } from '../../shared/errors/fields.ts';
import {
  connection,
  connectionIdInput,
  deletedConnection,
  exampleConnectionId,
  startedConnection,
} from '../../shared/model/connection.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { accountAction } from '../action.ts';
import { accountList } from '../paging/account-list.ts';

const returnTo = z
  .string()
  .min(1)
  .max(2000, { error: 'must be at most 2000 characters', abort: true })
  .optional()
  .meta({
    description:
      'Page of your program that gets the person back, with `connection` and `status` in its query. Its origin must be one of `CORS_ORIGINS` or that of `PUBLIC_URL`.',
    examples: ['https://app.example/connected'],
  });

const aboutPage =
  'Open `authorize_url` in the browser of the person who signs in. It works once, within 10 minutes, in one browser.';

const passwordFields = {
  identifier: z
    .string()
    .min(1)
    .max(254, 'must be at most 254 characters')
    .optional()
    .meta({
      description: 'AT Protocol only: handle or DID of the user.',
      examples: ['alice.example.com'],
    }),
  app_password: z
    .string()
    .min(1)
    .max(128, 'must be at most 128 characters')
    .optional()
    .meta({
      description:
        'AT Protocol only: an app password of the user. The connection is then active at once, without a page.',
      examples: ['abcd-efgh-ijkl-mnop'],
    }),
};
const secretFields = Object.keys(passwordFields);

const requestedScopes = z
  .array(z.string().min(1).max(64, 'must be at most 64 characters'))
  .min(1, 'must name at least one scope, or be left out for the default')
  .max(50, 'must be at most 50 scopes')
  .optional();

interface SignInInput {
  scopes?: string[] | undefined;
  return_to?: string | undefined;
  identifier?: string | undefined;
  app_password?: string | undefined;
}

/** Returns how the user signs in: by a page, or at once with an app password. */
function signInOf(input: SignInInput) {
  const { scopes = null, return_to: returnTo = null } = input;
  const login = passwordLogin(input);
  if (login && scopes) throw malformedField('scopes', 'must not be given, because an app password has no scopes');
  if (login && returnTo !== null)
    throw malformedField('return_to', 'must not be given, because an app password needs no page');
  return { scopes, returnTo, login };
}

/** Returns the login with an app password; `null` if the input has none. */
function passwordLogin(input: SignInInput): Secret | null {
  const { identifier, app_password: password } = input;
  if (identifier === undefined && password === undefined) return null;
  if (identifier === undefined) throw missingField('identifier');
  if (password === undefined) throw missingField('app_password');
  if (!/^[\x21-\x7e]+$/.test(identifier)) throw malformedField('identifier', 'must be a handle or a DID');
  if (!/^[\x20-\x7e]+$/.test(password)) throw malformedField('app_password', 'must be an app password');
  return new Secret(`${identifier}:${password}`);
}

export const createConnection = accountAction({
  name: 'connections/create',
  method: 'POST',
  path: '/connections',
  summary: 'Begin the sign-in of a platform user',
  description:
    `${aboutPage} The connection is \`pending\` until then. Afterwards its \`id\` stands for \`auth_token\` in all calls of the account. ` +
    'An account may have 1,000 connections, 100 of them pending.',
  secretFields,
  input: z.object({
    scopes: requestedScopes.meta({
      description:
        'Scopes to request. Default: all except those of direct messages. `GET /capabilities` lists all scopes.',
      examples: [['tweet.read', 'users.read', 'offline.access']],
    }),
    return_to: returnTo,
    ...passwordFields,
  }),
  example: {},
  output: startedConnection,
  run: async ({ account, author, connections, tokenFor }, input) =>
    connections.create({ account, author, token: tokenFor('createConnection'), ...signInOf(input) }),
});

export const listConnections = accountList('connections', {
  name: 'connections/list',
  path: '/connections',
  summary: 'The connections of the account, oldest first',
  item: connection,
  read: ({ account, connections, usableConnections }, count, cursor) =>
    connections.list(account, { count, cursor }, usableConnections),
});

export const connectionDetail = accountAction({
  name: 'connections/detail',
  method: 'GET',
  path: '/connections/{id}',
  summary: 'One connection',
  input: z.object({ id: connectionIdInput }),
  example: { id: exampleConnectionId },
  output: connection,
  run: ({ account, connections, usableConnections }, { id }) => connections.find(account, id, usableConnections),
});

export const reconnect = accountAction({
  name: 'connections/reconnect',
  method: 'POST',
  path: '/connections/{id}/reconnect',
  summary: 'Sign in again, with the same id',
  description: `${aboutPage} The old login works until then, and stays if the sign-in fails. Another user than before is refused.`,
  secretFields,
  input: z.object({
    id: connectionIdInput,
    scopes: requestedScopes.meta({
      description: 'Scopes to request. Default: the current scopes of the connection.',
      examples: [['tweet.read', 'users.read', 'dm.read', 'offline.access']],
    }),
    return_to: returnTo,
    ...passwordFields,
  }),
  example: { id: exampleConnectionId },
  output: startedConnection,
  run: async ({ account, author, connections, tokenFor }, { id, ...input }) =>
    connections.reconnect({ id, account, author, token: tokenFor('reconnect'), ...signInOf(input) }),
});

export const deleteConnection = accountAction({
  name: 'connections/delete',
  method: 'DELETE',
  path: '/connections/{id}',
  summary: 'Delete a connection',
  description:
    'Calls, webhooks and streams that use it stop at once. The login is revoked at the platform, which is retried for 24 ' +
    'hours. An app password stays valid until its user revokes it.',
  destructive: true,
  input: z.object({ id: connectionIdInput }),
  example: { id: exampleConnectionId },
  output: deletedConnection,
  run: ({ account, author, connections }, { id }) => connections.delete(account, author, id),
});
