import { createHash } from 'node:crypto';
import type { User } from './types.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Nothing that is made up here lies after it, so that nothing lies in the future. */
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

/** What the platform tells of an account's history. It follows from the user alone, so it never changes. */
export function aboutForm(user: User, origin: string) {
  const { verified, premium } = user;
  const hash = createHash('sha256').update(`about ${user.id}`).digest();
  const pick = <T>(from: readonly T[], byte: number): T | undefined => from[(hash[byte] ?? 0) % from.length];
  /** A day between the account's first and the latest; the first itself for an account that is newer than that. */
  const since = (byte: number) => {
    const days = Math.max(0, Math.floor((LATEST_MS - user.createdAt) / DAY_MS));
    return new Date(user.createdAt + Math.floor((days * hash.readUInt16BE(byte)) / 65_536) * DAY_MS).toISOString();
  };
  const isOld = user.createdAt < LATEST_MS;
  const changes = isOld ? (pick([0, 0, 0, 0, 1, 1, 2, 3], 2) ?? 0) : 0;
  return {
    id: user.id,
    screen_name: user.screenName,
    name: user.name,
    avatar_url: user.avatar && origin + user.avatar,
    created_at: new Date(user.createdAt).toISOString(),
    verified,
    premium,
    identity_verified: verified || (premium && isOld && (hash[3] ?? 0) < 128),
    // Of some who were verified long ago the day is not known.
    verified_since: (verified || premium) && (hash[8] ?? 0) >= 16 ? since(4) : null,
    account_based_in: countries[user.location ?? ''] ?? pick(others, 0) ?? '',
    created_via: pick(clients, 1) ?? '',
    username_changes: { count: changes, last_changed_at: changes === 0 ? null : since(6) },
  };
}
