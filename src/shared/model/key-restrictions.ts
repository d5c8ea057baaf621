import { z } from 'zod';
import { connectionId } from './connection.ts';
import { parseIpRange } from './ip-range.ts';
import { type Micros, parseDollars } from './money.ts';
import { dollars, isoTime } from './scalars.ts';

/** The endpoint groups. The name of every action begins with its group. */
export const endpointGroups = [
  ...(['tweet', 'user', 'list', 'media', 'article', 'dm'] as const),
  ...(['webhooks', 'events', 'connections', 'capabilities', 'account'] as const),
] as const;

export type EndpointGroup = (typeof endpointGroups)[number];

/** The restrictions of an API key. `null` means that a restriction does not apply. */
export interface KeyRestrictions {
  /** True if the key may only read. */
  readOnly: boolean;
  /** The groups of the endpoints that the key may call. */
  groups: readonly EndpointGroup[] | null;
  /** The connections that may be the key's `auth_token`. Keys of earlier releases are stored without this field. */
  connections?: readonly string[] | null | undefined;
  /** The client addresses from which the key may be used: CIDR blocks and single addresses. */
  ipRanges: readonly string[] | null;
  callsPerMinute: number | null;
  /** The amount that the key may be charged in a UTC day. */
  microsPerDay: Micros | null;
  expiresAt: number | null;
}

const maxIpRanges = 20;

export const endpointGroup = z.enum(endpointGroups, `must be one of ${endpointGroups.join(', ')}`);

const groups = z
  .array(endpointGroup)
  .min(1, 'must name at least one group, or be left out for all')
  .max(endpointGroups.length, `must be at most ${endpointGroups.length} groups`)
  .meta({ description: 'Groups of endpoints that the key may call; all if null or left out.' });

const connections = z
  .array(connectionId)
  .min(1, 'must name at least one connection, or be left out for all')
  .max(100, 'must be at most 100 connections')
  .meta({
    description:
      'Ids of at most 100 connections. The key may use only these as `auth_token`, lists only these, and cannot create, reconnect or delete connections. No restriction if null or left out.',
  });

const ipRanges = z
  .array(
    z
      .string()
      .max(64, { error: 'must be at most 64 characters', abort: true })
      .refine((text) => parseIpRange(text) !== null, 'must be an IP address or a CIDR block, such as 203.0.113.0/24')
      .meta({ examples: ['203.0.113.0/24', '2001:db8::1'] }),
  )
  .min(1, 'must contain at least one range, or be left out for all addresses')
  .max(maxIpRanges, `must be at most ${maxIpRanges} ranges`)
  .meta({
    description: `Client addresses from which the key may be used, as CIDR blocks or single addresses; at most ${maxIpRanges}; any address if null or left out.`,
  });

const callsPerMinute = z
  .int()
  .min(1)
  .max(1_000_000_000)
  .meta({ description: 'Calls per minute of the key, if this is below the limit of the account.', examples: [60] });

const dollarsPerDay = z
  .string()
  .regex(/^\d{1,10}(\.\d{1,6})?$/, 'must be dollars as a decimal string, such as "0.5"')
  .refine((text) => (parseDollars(text) ?? 0) > 0, 'must be more than 0 and at most 1000000000')
  .meta({
    description: 'Dollars that the key may be charged in a day (UTC), an exact decimal; no limit if null or left out.',
    examples: ['0.5'],
  });

/** The restrictions in the input of `POST /account/keys`. */
export const restrictionsInput = {
  read_only: z.boolean().optional().meta({ description: 'True for a key that may only read.' }),
  groups: groups.optional(),
  connections: connections.optional(),
  ip_ranges: ipRanges.optional(),
  calls_per_minute: callsPerMinute.optional(),
  dollars_per_day: dollarsPerDay.optional(),
  expires_at: isoTime.optional().meta({
    description: 'Time in the future from which the key is refused, ISO 8601; never if null or left out.',
    examples: ['2027-01-01T00:00:00Z'],
  }),
};

/** The restrictions in every listed key. */
export const restrictionsView = {
  read_only: z.boolean().meta({ description: 'True if the key may only read.' }),
  groups: groups.nullable().meta({ description: 'Groups of endpoints that the key may call; null for all.' }),
  connections: connections
    .nullable()
    .meta({ description: 'Ids of the connections that the key may use as `auth_token`; null for any `auth_token`.' }),
  ip_ranges: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Client addresses from which the key may be used; null for any address.' }),
  calls_per_minute: callsPerMinute
    .nullable()
    .meta({ description: 'Calls per minute of the key; null for the limit of the account.' }),
  dollars_per_day: dollars
    .nullable()
    .meta({ description: 'Dollars that the key may be charged in a day (UTC); null for no limit.' }),
  expires_at: isoTime.nullable().meta({ description: 'When the key expires; null for never.' }),
};
