import type { z } from 'zod';
import { malformedField } from '../shared/errors/fields.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import { type IpAddress, type IpRange, isInRange, parseIpRange } from '../shared/model/ip-range.ts';
import type { KeyRestrictions, restrictionsInput, restrictionsView } from '../shared/model/key-restrictions.ts';
import { formatDollars, parseDollars } from '../shared/model/money.ts';
import { formatIsoTime } from '../shared/model/time.ts';

/** The restrictions of a new key, as callers send them. */
export type RestrictionsInput = z.output<z.ZodObject<typeof restrictionsInput>>;
type RestrictionsView = z.output<z.ZodObject<typeof restrictionsView>>;

/** Returns the client address of a request; `null` if it is unknown. Called only for keys with address ranges. */
export type FindClientAddress = () => IpAddress | null;

/** Reads the restrictions of a new key. Returns `null` if there are none. Throws `bad_input`. */
export function readRestrictions(input: RestrictionsInput, now: number): KeyRestrictions | null {
  const { read_only: readOnly = false, groups = null, connections = null, ip_ranges: ipRanges = null } = input;
  const { calls_per_minute: callsPerMinute = null, dollars_per_day: dollars, expires_at: expiry } = input;
  const expiresAt = expiry === undefined ? null : Date.parse(expiry);
  if (expiresAt !== null && expiresAt <= now) throw malformedField('expires_at', 'must be in the future');
  const microsPerDay = dollars === undefined ? null : parseDollars(dollars);
  const restrictions = { readOnly, groups, connections, ipRanges, callsPerMinute, microsPerDay, expiresAt };
  return Object.values(restrictions).some((value) => value !== null && value !== false) ? restrictions : null;
}

/** Returns the restrictions of a key for its owner. */
export function viewOfRestrictions(restrictions: KeyRestrictions | null): RestrictionsView {
  const { readOnly = false, groups = null, connections = null, ipRanges = null } = restrictions ?? {};
  const { callsPerMinute = null, microsPerDay = null, expiresAt = null } = restrictions ?? {};
  return {
    read_only: readOnly,
    groups: groups && [...groups],
    connections: connections && [...connections],
    ip_ranges: ipRanges && [...ipRanges],
    calls_per_minute: callsPerMinute,
    dollars_per_day: microsPerDay === null ? null : formatDollars(microsPerDay),
    expires_at: expiresAt === null ? null : formatIsoTime(expiresAt),
  };
}

/** Refuses a key after its expiry and from other addresses than its own. */
export class KeyAdmission {
  readonly #expiresAt: number | null;
  readonly #ranges: readonly IpRange[] | null;

  constructor({ expiresAt, ipRanges }: KeyRestrictions) {
    this.#expiresAt = expiresAt;
    this.#ranges = ipRanges?.map(parseIpRange).filter((range) => range !== null) ?? null;
  }

  /** Returns the error for a request that is not admitted, otherwise `null`. */
  refusal(now: number, findAddress: FindClientAddress): PosternError | null {
    if (this.#expiresAt !== null && this.#expiresAt <= now) {
      const at = formatIsoTime(this.#expiresAt);
      return new PosternError('key_expired', `Invalid API key: it expired at ${at}. Use another key`);
    }
    if (this.#ranges === null) return null;
    const address = findAddress();
    if (address && this.#ranges.some((range) => isInRange(address, range))) return null;
    return new PosternError(
      'key_address_not_allowed',
      `This API key may not be used from the address ${address?.toString() ?? 'of this client'}, which is not in its ip_ranges. ` +
        'Use an address in its ip_ranges, or another key',
    );
  }
}
