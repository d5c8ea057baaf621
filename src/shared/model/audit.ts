import { z } from 'zod';
import { isoTime } from './scalars.ts';

/** The changes of an account that its audit log records. */
export const auditActions = [
  ...(['key.created', 'key.revoked', 'webhook.created', 'webhook.updated', 'webhook.secret_rotated'] as const),
  ...(['webhook.paused', 'webhook.resumed', 'webhook.deleted', 'credit.added', 'account.updated'] as const),
  ...(['connection.created', 'connection.reconnect_begun', 'connection.connected', 'connection.deleted'] as const),
  ...(['connection.expired', 'connection.revoked'] as const),
] as const;

export type AuditAction = (typeof auditActions)[number];

/** Who made a change: the API key of a call, the operator with a command, or the service itself, as after a sign-in. */
export type AuditAuthor = { type: 'operator' } | { type: 'service' } | { type: 'key'; id: string; name: string };

/** The object of a change. */
export interface AuditSubject {
  type: 'key' | 'webhook' | 'payment' | 'account' | 'connection';
  id: string;
  /** The name of a key or an account, the host of a webhook, the screen name of a connection, or the description of a payment. */
  name: string;
}

/** The author of changes by commands of the operator. */
export const operator: AuditAuthor = { type: 'operator' };

/** The author of changes that no call makes, such as the end of a login. */
export const service: AuditAuthor = { type: 'service' };

export const auditEntry = z
  .object({
    id: z.string().meta({ description: 'Id of the entry.' }),
    at: isoTime.meta({ description: 'Time of the change.' }),
    action: z.enum(auditActions).meta({ description: 'What was changed, such as `key.created`.' }),
    by: z
      .object({
        type: z.enum(['key', 'operator', 'service']).meta({
          description: '`key` for a call, `operator` for a command, `service` for a sign-in or the end of a login.',
        }),
        key_id: z.string().nullable().meta({ description: 'Id of the API key of the call; null for the others.' }),
        key_name: z.string().nullable().meta({ description: 'Name of this key at that time; null for the others.' }),
      })
      .meta({ id: 'AuditAuthor', description: 'Who made the change.' }),
    subject: z
      .object({
        type: z
          .enum(['key', 'webhook', 'payment', 'account', 'connection'])
          .meta({ description: 'Type of the object.' }),
        id: z.string().meta({ description: 'Id of the object.' }),
        name: z.string().meta({
          description:
            'Name of the key or the account, host of the webhook, screen name of the connection, or description of the payment, at that time.',
        }),
      })
      .meta({ id: 'AuditSubject', description: 'The object that was changed.' }),
    details: z
      .record(z.string(), z.string())
      .meta({ description: 'Further facts, such as the restrictions of a new key. They contain no secret.' }),
  })
  .meta({
    id: 'AuditEntry',
    description: 'A change to an API key, webhook, connection, credit or account setting.',
  });

export type AuditEntryView = z.infer<typeof auditEntry>;
