import type { RealmRecord } from '../../shared/model/realm.ts';
import { smallLimits } from '../http/answer.ts';
import { InvalidResponseError, id, object, oneOf, readCount, text, type Wire } from '../http/wire.ts';
import type { PlatformCall } from '../port.ts';
import type { GuessAnswer, PlatformRealm, PlatformRealms, RealmState, UnlockAnswer } from '../realms-port.ts';
import type { XClient } from '../x/client.ts';
import { named, others, type Write, write } from '../x/operations.ts';

const places = [1, 2, 3];

/** Each realm has operations of its own, because a rate limit of one must not stop calls of the others. */
function operationsOf(place: number) {
  const path = `/sandbox/realms/${place}`;
  const isBare = true;
  const record = [
    'version',
    'oprf_key_share',
    'commitment',
    'unlock_tag',
    'sealed_share',
    'sealed_keys',
    'replaces',
  ] as const;
  return named({
    realmState: others(`${path}/record`, null, { isBare }),
    guessAtRealm: write('POST', `${path}/guesses`, null, { body: ['version', 'blinded_element'], isBare }),
    unlockAtRealm: write('POST', `${path}/unlock`, null, { body: ['version', 'unlock_tag'], isBare }),
    registerAtRealm: write('PUT', `${path}/record`, null, { body: record, isBare }),
  });
}

/** Returns the three key realms of the sandbox on behalf of one actor. */
export function sandboxRealms(client: XClient, call: PlatformCall): PlatformRealms {
  // The signal is dropped, because several callers may wait for the same recovery, and an aborted guess would still be
  // counted. The key realms take no idempotency tokens, so `tokenFor` must not be called: it would change the tokens of
  // later writes.
  const own: PlatformCall = { ...call, signal: null, tokenFor: (operation) => operation };
  return places.map((place) => new SandboxRealm(client, own, place));
}

class SandboxRealm implements PlatformRealm {
  readonly place: number;
  readonly #client: XClient;
  readonly #call: PlatformCall;
  readonly #operations: ReturnType<typeof operationsOf>;

  constructor(client: XClient, call: PlatformCall, place: number) {
    this.#client = client;
    this.#call = call;
    this.#operations = operationsOf(place);
    this.place = place;
  }

  state(): Promise<RealmState> {
    const request = { operation: this.#operations.realmState, limits: smallLimits };
    return this.#client.send(request, this.#call, ({ data }) => {
      const body = object(data, 'data');
      const accountId = id(body.account_id, 'account_id');
      const kind = oneOf(body.state, 'state', ['enrolled', 'none', 'locked']);
      return kind === 'enrolled' ? { kind, accountId, version: readVersion(body) } : { kind, accountId };
    });
  }

  guess(version: string, blindedElement: Uint8Array): Promise<GuessAnswer> {
    const body = { version, blinded_element: base64(blindedElement) };
    return this.#write(this.#operations.guessAtRealm, body, (answer) => {
      const kind = oneOf(answer.outcome, 'outcome', ['evaluated', 'locked', 'stale']);
      if (kind !== 'evaluated') return { kind };
      return {
        kind,
        evaluated: bytes(answer.evaluated_element, 'evaluated_element'),
        commitment: bytes(answer.commitment, 'commitment'),
        guessesRemaining: readCount(answer.guesses_remaining, 'guesses_remaining'),
      };
    });
  }

  unlock(version: string, unlockTag: Uint8Array): Promise<UnlockAnswer> {
    const body = { version, unlock_tag: base64(unlockTag) };
    return this.#write(this.#operations.unlockAtRealm, body, (answer) => {
      const kind = oneOf(answer.outcome, 'outcome', ['unlocked', 'refused', 'locked', 'stale']);
      if (kind !== 'unlocked') return { kind };
      return {
        kind,
        sealedShare: bytes(answer.sealed_share, 'sealed_share'),
        sealedKeys: bytes(answer.sealed_keys, 'sealed_keys'),
      };
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
    return this.#write(this.#operations.registerAtRealm, body, (answer) => {
      if (answer['registered'] !== true) throw new InvalidResponseError('registered is not true');
    });
  }

  #write<Body extends string, T>(
    operation: Write<Body>,
    body: Readonly<Partial<Record<Body, string>>>,
    read: (body: Wire) => T,
  ): Promise<T> {
    return this.#client.write({ operation, ids: [], body, subject: null }, this.#call, read);
  }
}

function readVersion(from: Wire): string {
  const version = text(from.version, 'version');
  if (!/^[0-9a-f]{32}$/.test(version)) throw new InvalidResponseError('version is not 32 hex digits');
  return version;
}

function bytes(value: unknown, field: string): Uint8Array {
  return Buffer.from(text(value, field), 'base64');
}

function base64(value: Uint8Array): string {
  return Buffer.from(value).toString('base64');
}
