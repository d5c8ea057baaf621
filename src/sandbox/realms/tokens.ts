import { createHmac, timingSafeEqual } from 'node:crypto';

const tenant = 'postern';
const keyVersion = 1;
const lifetimeS = 10 * 60;
const maxLifetimeS = 24 * 60 * 60;
const leewayS = 5;

/** The realm and the user that a token is for. */
interface TokenOwner {
  readonly realmId: string;
  readonly userId: string;
}

/** Signs Juicebox's auth tokens (JWT, HS256): one for each realm and user. */
export class RealmTokens {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  make({ realmId, userId }: TokenOwner, nowMs: number): string {
    const nbf = Math.floor(nowMs / 1_000);
    const header = { alg: 'HS256', typ: 'JWT', kid: `${tenant}:${keyVersion}` };
    const claims = { iss: tenant, sub: userId, aud: realmId, nbf, iat: nbf, exp: nbf + lifetimeS, scope: 'user' };
    const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${signed}.${this.#sign(signed).toString('base64url')}`;
  }

  /** Returns the id of the user whose token this is, or undefined if it is not a valid token for the realm. */
  read(token: string, realmId: string, nowMs: number): string | undefined {
    const [header = '', claims = '', signature = ''] = token.length > 1_000 ? [] : token.split('.');
    const expected = this.#sign(`${header}.${claims}`);
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    // The sandbox itself wrote what its key signed.
    const { sub, aud, nbf, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const now = nowMs / 1_000;
    const isValid = nbf - leewayS <= now && now <= exp + leewayS && exp - nbf <= maxLifetimeS;
    return isValid && aud === realmId ? sub : undefined;
  }

  #sign(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}
