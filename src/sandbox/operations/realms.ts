import { decode, encode } from 'cborg';
import type { RealmOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import type { RealmRequest } from '../realms/realm.ts';
import { notFound } from '../refusal.ts';

/** The least version of Juicebox's SDK whose protocol this is. */
const leastMinor = 2;

/** Juicebox's protocol of software realms. A body is one CBOR item. */
export const realmRequest: RealmOperation = {
  id: 'realmRequest',
  method: 'POST',
  path: '/sandbox/realms/{realm}/req',
  access: 'realm',
  maxBytes: 2_048,
  async handle({ platform, actor, params, headers, bytes }) {
    const place = Number(params['realm']);
    const realm = platform.realms.get(place);
    if (realm === undefined) throw notFound('realm', params['realm'] ?? '');
    const [, major, minor] = /^(\d+)\.(\d+)\./.exec(String(headers['x-juicebox-version'])) ?? [];
    if (!(Number(major) > 0 || Number(minor) >= leastMinor)) throw new Problem(426, 'upgrade', 'SDK upgrade required');
    await platform.realms.ensureSeeded(actor, place);
    try {
      const request = decode(bytes, { rejectDuplicateMapKeys: true, allowIndefinite: false }) as RealmRequest;
      const body = encode(realm.handle(actor.id, request));
      return { status: 200, body, contentType: 'application/octet-stream' };
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw new Problem(400, 'bad_request', 'Error processing request');
    }
  },
};
