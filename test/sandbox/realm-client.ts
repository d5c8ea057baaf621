import { randomBytes } from 'node:crypto';
import { ristretto255 } from '@noble/curves/ed25519.js';
import { decode, encode } from 'cborg';
import { generateChatKeys, registrationOf } from '../../src/messaging/encryption/index.ts';
import { type BackupConfig, readBackupConfig } from '../../src/platform/juicebox/config.ts';
import { type SdkRequest, SdkWorkers } from '../../src/platform/juicebox/sdk-workers.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { atEnd } from '../support/at-end.ts';
import { type Account, type Json, request } from './harness.ts';

interface RealmReply {
  readonly status: number;
  /** The decoded CBOR, or the text of a refusal. */
  readonly body: Json;
}

/** Calls the realms without a gateway: by Juicebox's SDK, or with single requests. */
export class RealmClient {
  readonly #url: () => string;
  readonly #workers = new SdkWorkers(systemRuntime);

  constructor(url: () => string) {
    this.#url = url;
    atEnd(() => this.#workers.close());
  }

  /** Returns X's `juicebox_config`. Publishes new public keys for an account that has none. */
  async configOf(as: Account): Promise<Json> {
    const path = `/2/users/${as.userId}/public_keys`;
    const call = (method: string, body?: object) =>
      request(this.#url(), method, path, { as, ...(body && { body }), unchecked: true });
    const [known] = (await call('GET')).body.data ?? [];
    if (known !== undefined) return known.juicebox_config;
    const { publicKey, signingPublicKey, ...signatures } = registrationOf(generateChatKeys(randomBytes));
    const public_key = {
      public_key: publicKey,
      signing_public_key: signingPublicKey,
      identity_public_key_signature: signatures.identityPublicKeySignature,
      signing_public_key_signature: signatures.signingPublicKeySignature,
    };
    return (await call('POST', { public_key, version: '1' })).body.data.juicebox_config;
  }

  async config(as: Account): Promise<BackupConfig> {
    const rules = { platform: new URL(this.#url()), allowsFastHashing: true };
    return readBackupConfig(await this.configOf(as), rules);
  }

  /** Sends one request to one realm, numbered from 1. */
  async call(place: number, as: Account, message: unknown, headers: Record<string, string> = {}): Promise<RealmReply> {
    const { realms } = await this.config(as);
    const token = realms[place - 1]?.token ?? '';
    const own = { authorization: `Bearer ${token}`, 'x-juicebox-version': '0.3.7' };
    const body = message instanceof Uint8Array ? message : encode(message);
    return this.#post(place, { ...own, ...headers }, body);
  }

  /** Makes a guess that is wrong. Returns the outcome, which is the name of a case without data or an object. */
  async guess(place: number, as: Account): Promise<Json> {
    const { Recover1: first } = (await this.call(place, as, 'Recover1')).body;
    if (typeof first === 'string') return first;
    const element = ristretto255.Point.BASE.multiply(BigInt(1 + randomBytes(4).readUInt32LE())).toBytes();
    const fields = { version: first.Ok.version, oprf_blinded_input: element };
    return (await this.call(place, as, { Recover2: fields })).body.Recover2;
  }

  async enroll(as: Account, code: string, secret: Uint8Array): Promise<void> {
    const { reason } = await this.#run(as, code, secret, [1, 2, 3]);
    if (reason !== undefined) throw new Error(reason);
  }

  /** Recovers from these realms only. Returns the secret, or why there is none. */
  async recover(as: Account, code: string, realms: readonly number[] = [1, 2, 3]): Promise<Buffer | string> {
    const { secret, reason = '' } = await this.#run(as, code, undefined, realms);
    return secret ? Buffer.from(secret) : reason;
  }

  async #run(as: Account, code: string, secret: Uint8Array | undefined, realms: readonly number[]) {
    const send = async ({ index, headers, body }: SdkRequest) => {
      if (!realms.includes(index + 1)) return null;
      const response = await fetch(this.#address(index + 1), { method: 'POST', headers, body: Uint8Array.from(body) });
      return response.ok ? { body: new Uint8Array(await response.arrayBuffer()) } : null;
    };
    return this.#workers.run({ pin: Buffer.from(code), ...(secret && { secret }) }, await this.config(as), send);
  }

  async #post(place: number, headers: Record<string, string>, body: Uint8Array): Promise<RealmReply> {
    const response = await fetch(this.#address(place), { method: 'POST', headers, body: Uint8Array.from(body) });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, body: response.status === 200 ? decode(bytes) : bytes.toString() };
  }

  #address(place: number): string {
    return `${this.#url()}/sandbox/realms/${place}/req`;
  }
}
