import { z } from 'zod';
import { isoTime } from './scalars.ts';

/** The changes of an account that its audit log records. */
export const auditActions = [
  ...(['key.created', 'key.revoked', 'webhook.created', 'webhook.updated', 'webhook.secret_rotated'] as const),
  ...(['webhook.paused', 'webhook.resumed', 'webhook.deleted', 'credit.added', 'account.updated'] as const),
] as const;

export type AuditAction = (typeof auditActions)[number];

/** Who made a change: the API key of a call, or the operator with a command. */
export type AuditAuthor = { type: 'operator' } | { type: 'key'; id: string; name: string };

/** The object of a change. */
export interface AuditSubject {
  type: 'key' | 'webhook' | 'payment' | 'account';
  id: string;
  /** The name of a key or an account, the host of a webhook, or the description of a payment. */
  name: string;
}

/** The author of changes by commands of the operator. */
export const operator: AuditAuthor = { type: 'operator' };

export const auditEntry = z
  .object({
    id: z.string().meta({ description: 'Id of the entry.' }),
    at: isoTime.meta({ description: 'Time of the change.' }),
    action: z.enum(auditActions).meta({ description: 'What was changed, such as `key.created`.' }),
    by: z
      .object({
        type: z.enum(['key', 'operator']).meta({ description: '`key` for a call, `operator` for a command.' }),
        key_id: z.string().nullable().meta({ description: 'Id of the API key of the call; null for the operator.' }),
        key_name: z.string().nullable().meta({ description: 'Name of this key at that time; null for the operator.' }),
      })
      .meta({ id: 'AuditAuthor', description: 'Who made the change.' }),
    subject: z
      .object({
        type: z.enum(['key', 'webhook', 'payment', 'account']).meta({ description: 'Type of the object.' }),
        id: z.string().meta({ description: 'Id of the object.' }),
        name: z.string().meta({
          description:
            'Name of the key or the account, host of the webhook, or description of the payment, at that time.',
        }),
      })
      .meta({ id: 'AuditSubject', description: 'The object that was changed.' }),
    details: z
      .record(z.string(), z.string())
      .meta({ description: 'Further facts, such as the restrictions of a new key. They contain no secret.' }),
  })
  .meta({ id: 'AuditEntry', description: 'A change of a key, a webhook, the credit or a setting of the account.' });

export type AuditEntryView = z.infer<typeof auditEntry>;
