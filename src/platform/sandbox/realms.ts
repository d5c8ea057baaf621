import type { RealmRecord } from '../../shared/model/realm.ts';
import type { PlatformCall } from '../port.ts';
import type { GuessAnswer, PlatformRealm, PlatformRealms, RealmState, UnlockAnswer } from '../realms-port.ts';
import type { Request, SandboxClient } from './client.ts';
import { count, id, NonsenseError, text, type Wire } from './wire.ts';

const places = [1, 2, 3];

/** The sandbox's three key realms as one actor sees them. */
export function sandboxRealms(client: SandboxClient, call: PlatformCall): PlatformRealms {
  // No signal: several callers may wait for one recovery, and an aborted guess would count as a wrong one even with the correct
  // code. No token is requested, because realms take none and the tokens of later writes must stay the same.
  const own: PlatformCall = { ...call, signal: null, tokenFor: (operation) => operation };
  return places.map((place) => new SandboxRealm(client, own, place));
}

class SandboxRealm implements PlatformRealm {
  readonly place: number;
  readonly #client: SandboxClient;
  readonly #call: PlatformCall;

  constructor(client: SandboxClient, call: PlatformCall, place: number) {
    this.#client = client;
    this.#call = call;
    this.place = place;
  }

  state(): Promise<RealmState> {
    return this.#send('realmState', 'GET', 'record', undefined, (body) => {
      const accountId = id(body, 'account_id');
      const kind = oneOf(body, 'state', ['enrolled', 'none', 'locked']);
      return kind === 'enrolled' ? { kind, accountId, version: readVersion(body) } : { kind, accountId };
    });
  }

  guess(version: string, blindedElement: Uint8Array): Promise<GuessAnswer> {
    const body = { version, blinded_element: base64(blindedElement) };
    return this.#send('guessAtRealm', 'POST', 'guesses', body, (answer) => {
      const kind = oneOf(answer, 'outcome', ['evaluated', 'locked', 'stale']);
      if (kind !== 'evaluated') return { kind };
      return {
        kind,
        evaluated: bytes(answer, 'evaluated_element'),
        commitment: bytes(answer, 'commitment'),
        guessesRemaining: count(answer, 'guesses_remaining'),
      };
    });
  }

  unlock(version: string, unlockTag: Uint8Array): Promise<UnlockAnswer> {
    const body = { version, unlock_tag: base64(unlockTag) };
    return this.#send('unlockAtRealm', 'POST', 'unlock', body, (answer) => {
      const kind = oneOf(answer, 'outcome', ['unlocked', 'refused', 'locked', 'stale']);
      if (kind !== 'unlocked') return { kind };
      return { kind, sealedShare: bytes(answer, 'sealed_share'), sealedKeys: bytes(answer, 'sealed_keys') };
    });
  }

  register(record: RealmRecord, replaces: string | null): Promise<void> {
    const body = {
      version: record.version,
      oprf_key_share: base64(record.oprfKeyShare),
      commitment: base64(record.commitment),
      unlock_tag: base64(record.unlockTag),
      sealed_share: base64(record.sealedShare),
      sealed_keys: base64(record.sealedKeys),
      ...(replaces !== null && { replaces }),
    };
    return this.#send('registerAtRealm', 'PUT', 'record', body, (answer) => {
      if (answer['registered'] !== true) throw new NonsenseError('registered is not true');
    });
  }

  #send<T>(
    operation: string,
    method: Request['method'],
    step: string,
    body: Wire | undefined,
    read: (body: Wire) => T,
  ): Promise<T> {
    const path = `/realms/${this.place}/${step}`;
    return this.#client.send({ operation, method, path, ...(body && { body }) }, this.#call, read);
  }
}

function oneOf<const Kind extends string>(from: Wire, field: string, kinds: readonly Kind[]): Kind {
  const value = text(from, field);
  const kind = kinds.find((known) => known === value);
  if (kind === undefined) throw new NonsenseError(`${field} is none of ${kinds.join(', ')}`);
  return kind;
}

function readVersion(from: Wire): string {
  const version = text(from, 'version');
  if (!/^[0-9a-f]{32}$/.test(version)) throw new NonsenseError('version is not 32 hex digits');
  return version;
}

function bytes(from: Wire, field: string): Uint8Array {
  return Buffer.from(text(from, field), 'base64');
}

function base64(value: Uint8Array): string {
  return Buffer.from(value).toString('base64');
}
