import { createHash } from 'node:crypto';
import type { User } from './types.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The upper limit of generated dates, so that no generated date is in the future. */
const LATEST_MS = Date.UTC(2025, 0, 1);
const clients = ['Web App', 'iPhone App', 'Android App'] as const;

/** The countries of the towns that users of the dataset name in their profiles. */
const countries: Readonly<Record<string, string>> = {
  Lisbon: 'Portugal',
  Porto: 'Portugal',
  Ghent: 'Belgium',
  Leeds: 'United Kingdom',
  Glasgow: 'United Kingdom',
  Bergen: 'Norway',
  Bologna: 'Italy',
  Galway: 'Ireland',
  Ljubljana: 'Slovenia',
  Halifax: 'Canada',
  Montréal: 'Canada',
  Kyoto: 'Japan',
  Utrecht: 'Netherlands',
  Malmö: 'Sweden',
  Graz: 'Austria',
  Bilbao: 'Spain',
  Tartu: 'Estonia',
  Wellington: 'New Zealand',
  Accra: 'Ghana',
  Valparaíso: 'Chile',
  Pune: 'India',
  Basel: 'Switzerland',
  Aarhus: 'Denmark',
};
const others = [...new Set(Object.values(countries))];

/** Returns the account history of a user. All values derive from the user, so they are the same on every call. */
export function aboutForm(user: User) {
  const { verified, premium } = user;
  const hash = createHash('sha256').update(`about ${user.id}`).digest();
  const pick = <T>(from: readonly T[], byte: number): T | undefined => from[(hash[byte] ?? 0) % from.length];
  /**
   * Returns a date between the creation of the account and `LATEST_MS`, or the creation date if the account is newer
   * than `LATEST_MS`.
   */
  const since = (byte: number) => {
    const days = Math.max(0, Math.floor((LATEST_MS - user.createdAt) / DAY_MS));
    return new Date(user.createdAt + Math.floor((days * hash.readUInt16BE(byte)) / 65_536) * DAY_MS).toISOString();
  };
  const isOld = user.createdAt < LATEST_MS;
  const changes = isOld ? (pick([0, 0, 0, 0, 1, 1, 2, 3], 2) ?? 0) : 0;
  return {
    id: user.id,
    created_at: new Date(user.createdAt).toISOString(),
    is_verified: user.verificationKind !== null,
    is_blue_verified: user.verificationKind === null && (verified || premium),
    is_identity_verified: verified || (premium && isOld && (hash[3] ?? 0) < 128),
    // For some verified accounts the date is unknown.
    verified_since: (verified || premium) && (hash[8] ?? 0) >= 16 ? since(4) : null,
    account_based_in: countries[user.location ?? ''] ?? pick(others, 0) ?? '',
    created_via: pick(clients, 1) ?? '',
    username_changes: { count: changes, last_changed_at: changes === 0 ? null : since(6) },
  };
}
