import { z } from 'zod';
import { malformedField, missingField } from '../../shared/errors/fields.ts';
import {
  type ConnectionView,
  connection,
  deletedConnection,
  namedConnection,
  startedConnection,
} from '../../shared/model/connection.ts';
import { pageInput, pageOutput } from '../../shared/model/page.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { accountAction } from '../action.ts';
import { atMostOneOf } from '../input/input.ts';

const exampleId = 'conn_5f0c2b7d9e8a4c6b1d3f7a';

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
    .meta({ description: 'AT Protocol only: handle or DID of the user.', examples: ['alice.example.com'] }),
  app_password: z
    .string()
    .min(1)
    .max(128, 'must be at most 128 characters')
    .optional()
    .meta({ description: 'AT Protocol only: an app password of the user.', examples: ['abcd-efgh-ijkl-mnop'] }),
};
const credentials = Object.keys(passwordFields);

/** Returns the login with an app password; `null` if the input has none. */
function passwordLogin(input: z.output<z.ZodObject<typeof passwordFields>>): Secret | null {
  const { identifier, app_password: password } = input;
  if (identifier === undefined && password === undefined) return null;
  if (identifier === undefined) throw missingField('identifier');
  if (password === undefined) throw missingField('app_password');
  if (!/^[\x21-\x7e]+$/.test(identifier)) throw malformedField('identifier', 'must be a handle or a DID');
  if (!/^[\x20-\x7e]+$/.test(password)) throw malformedField('app_password', 'must be an app password');
  return new Secret(`${identifier}:${password}`);
}

/** Returns the output for a connection with an app password, whose sign-in needs no page. */
const withoutPage = ({ id, status }: ConnectionView) => ({ id, status, authorize_url: null, expires_at: null });

export const createConnection = accountAction({
  name: 'connections/create',
  method: 'POST',
  path: '/connections',
  summary: 'Begin the sign-in of a platform user',
  description:
    `${aboutPage} The connection is \`pending\` until then. Afterwards its \`id\` stands for \`auth_token\` in all calls of the account. ` +
    'On the AT Protocol, `identifier` and `app_password` make the connection at once, without a page. An account may have 1,000 ' +
    'connections, 100 of them pending.',
  price: 0,
  effect: 'once',
  handlesCredentials: credentials,
  input: z
    .object({
      scopes: z
        .array(z.string().min(1).max(64, 'must be at most 64 characters'))
        .min(1, 'must name at least one scope, or be left out for the default')
        .max(50, 'must be at most 50 scopes')
        .optional()
        .meta({
          description:
            'Scopes to ask for; if left out, all but those of direct messages. `GET /capabilities` lists them.',
          examples: [['tweet.read', 'users.read', 'offline.access']],
        }),
      return_to: returnTo,
      ...passwordFields,
    })
    .check(atMostOneOf('scopes', 'identifier'), atMostOneOf('return_to', 'app_password')),
  example: {},
  output: startedConnection,
  async run({ account, author, connections, tokenFor }, { scopes = null, return_to: returnTo = null, ...password }) {
    const call = { account, author, token: tokenFor('createConnection') };
    const login = passwordLogin(password);
    if (login === null) return connections.create({ ...call, scopes, returnTo });
    return withoutPage(await connections.createWithPassword({ ...call, login }));
  },
});

export const listConnections = accountAction({
  name: 'connections/list',
  method: 'GET',
  path: '/connections',
  summary: 'The connections of the account, oldest first',
  price: 0,
  effect: 'read',
  paged: true,
  input: z.object(pageInput),
  example: { count: 5 },
  output: z.object({ connections: z.array(connection), ...pageOutput }),
  async run({ account, connections }, { count, cursor = null }) {
    const page = await connections.list(account, { count, cursor });
    return { connections: page.items, has_more: page.cursor !== null, next_cursor: page.cursor };
  },
});

export const connectionDetail = accountAction({
  name: 'connections/detail',
  method: 'GET',
  path: '/connections/{id}',
  summary: 'One connection',
  price: 0,
  effect: 'read',
  input: z.object({ id: namedConnection }),
  example: { id: exampleId },
  output: connection,
  run: ({ account, connections }, { id }) => connections.find(account, id),
});

export const reconnect = accountAction({
  name: 'connections/reconnect',
  method: 'POST',
  path: '/connections/{id}/reconnect',
  summary: 'Sign in again, with the same id',
  description:
    `${aboutPage} The old login works until then, and stays if the sign-in fails. Another user than before is refused. On the AT Protocol, ` +
    '`identifier` and `app_password` replace the app password at once.',
  price: 0,
  effect: 'once',
  handlesCredentials: credentials,
  input: z
    .object({ id: namedConnection, return_to: returnTo, ...passwordFields })
    .check(atMostOneOf('return_to', 'app_password')),
  example: { id: exampleId },
  output: startedConnection,
  async run({ account, author, connections, tokenFor }, { id, return_to: returnTo = null, ...password }) {
    const login = passwordLogin(password);
    if (login !== null) return withoutPage(await connections.reconnectWithPassword({ account, author, id, login }));
    return connections.reconnect({ account, author, id, returnTo, token: tokenFor('reconnect') });
  },
});

export const deleteConnection = accountAction({
  name: 'connections/delete',
  method: 'DELETE',
  path: '/connections/{id}',
  summary: 'Delete a connection',
  description:
    'Calls, webhooks and streams that use it stop at once. The login is revoked at the platform, which is retried for 24 hours.',
  price: 0,
  effect: 'once',
  destructive: true,
  input: z.object({ id: namedConnection }),
  example: { id: exampleId },
  output: deletedConnection,
  run: ({ account, author, connections }, { id }) => connections.delete(account, author, id),
});
