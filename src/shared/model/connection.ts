import { z } from 'zod';
import { isoTime, userId, userName } from './scalars.ts';

/** The form of a connection's id, which may stand for `auth_token`. */
export const connectionIdPattern = /^conn_[0-9A-Za-z]{22}$/;

export const exampleConnectionId = 'conn_5f0c2b7d9e8a4c6b1d3f7a';

export const connectionId = z
  .string()
  .regex(connectionIdPattern, `must be the id of a connection, such as ${exampleConnectionId}`)
  .meta({ description: 'Id of the connection.', examples: [exampleConnectionId] });

/** The id of a connection in an input. Other text than ids is refused with 404 too. */
export const connectionIdInput = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Id of the connection.', examples: [exampleConnectionId] });

export const connectionStatuses = ['pending', 'active', 'expired', 'revoked', 'failed'] as const;

export const connectionStatus = z.enum(connectionStatuses);

/** The meaning of each status. */
export const connectionStatusTexts: Readonly<Record<(typeof connectionStatuses)[number], string>> = {
  pending: 'Nobody has signed in yet.',
  active: 'Calls can use the login.',
  expired: 'The login ended. A reconnect repairs it.',
  revoked: 'The person withdrew the consent at the platform. A reconnect repairs it.',
  failed: 'The first sign-in was denied, failed, or was not completed in time.',
};

export const connectedUser = z
  .object({
    id: userId,
    userName,
    name: z.string().meta({ description: 'Display name of the user.' }),
    profilePicture: z.string().meta({ description: 'URL of the profile picture.' }),
  })
  .meta({ id: 'ConnectedUser', description: 'The user of the platform; null before the first sign-in.' });

export const connection = z
  .object({
    id: connectionId.meta({ description: 'Id of the connection. It may stand for `auth_token` everywhere.' }),
    status: connectionStatus.meta({
      description: '`active` if calls can use the connection; `expired` and `revoked` need a reconnect.',
    }),
    user: connectedUser.nullable(),
    scopes: z.array(z.string()).meta({ description: 'What the login allows, or what the sign-in asks for.' }),
    created_at: isoTime.meta({ description: 'Time of creation.' }),
    last_used_at: isoTime.nullable().meta({ description: 'Approximate time of the last use.' }),
    expires_at: isoTime.nullable().meta({
      description: 'When the pending sign-in ends, or the login that cannot be refreshed; otherwise null.',
    }),
    sign_in_ends_at: isoTime.nullable().meta({
      description:
        'Until when somebody may complete the sign-in that has begun; null if there is none, or not any more.',
    }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why the connection does not work, or why the last reconnect failed.' }),
  })
  .meta({ id: 'Connection', description: 'A login of a platform user that the account may use.' });

export const startedConnection = z
  .object({
    id: connectionId,
    status: connectionStatus.meta({
      description: '`pending`; `active` if it was made with an app password; or the status before a reconnect.',
    }),
    authorize_url: z.url().nullable().meta({
      description:
        'The page to open in the browser of the person who signs in. It works once, within 10 minutes; null for an app password.',
    }),
    expires_at: isoTime.nullable().meta({ description: 'When the page stops working; null for an app password.' }),
  })
  .meta({ id: 'StartedConnection', description: 'A sign-in that has begun.' });

export const deletedConnection = z.object({
  id: connectionId,
  deleted: z.literal(true).meta({ description: 'Always true. A failed request returns an error instead.' }),
});

export type ConnectionView = z.infer<typeof connection>;
export type StartedConnectionView = z.infer<typeof startedConnection>;
