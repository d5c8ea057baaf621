import { ConnectionService } from '../connections/connection-service.ts';
import { ConnectionLogins, type EndedLogin } from '../connections/logins.ts';
import { ConnectionRecords } from '../connections/records.ts';
import { Revocations } from '../connections/revocations.ts';
import { SignInFlow } from '../connections/sign-in.ts';
import type { Platform } from '../platform/port.ts';
import type { Config } from '../shared/config/config.ts';
import type { PlatformKind } from '../shared/config/settings.ts';
import { Vault } from '../shared/secrets/vault.ts';
import type { NewAccountEvent, StoredConnection } from '../store/port.ts';
import type { CoreParts } from './start-billing.ts';

export interface ConnectionOptions extends Pick<CoreParts, 'store' | 'runtime' | 'logger' | 'secretKeys'> {
  /** See `Login.issuer`. */
  issuer: string;
  /** Called after a login was repaired or has ended, or its connection was deleted. */
  onChange: (account: string, id: string) => Promise<void>;
  sealEnd: (ended: EndedLogin) => NewAccountEvent;
}

/** The error messages for platforms without sign-in. */
const signInHints: Readonly<Record<PlatformKind, string>> = {
  sandbox: 'There are no sign-ins with SANDBOX_PUBLIC, because browsers cannot open the pages of the embedded sandbox',
  x: 'Sign-ins are not set up: the operator must set X_CLIENT_ID',
  atproto: 'This platform has no sign-ins with a browser: send identifier and app_password',
};

/** See `Login.issuer`. Gateways may reach one sandbox by several addresses, and that of the embedded one changes with each start. */
export function issuerOf({ platform: { kind, url }, secrets: { xApp } }: Config): string {
  return kind === 'sandbox' ? kind : [kind, url, xApp?.clientId ?? ''].join(' ');
}

/** Starts the logins of connections, which the adapter of the platform needs. `open` returns what needs the platform. */
export function startConnections({ store, runtime, logger, secretKeys, issuer, onChange, sealEnd }: ConnectionOptions) {
  const records = new ConnectionRecords({ issuer, store, vault: new Vault(secretKeys, runtime), runtime });
  const onError = (err: unknown) => logger.warn({ err }, 'connections could not be stored or read; trying again');
  const onSignInError = (err: unknown) => logger.warn({ err }, 'a sign-in could not be completed');
  const onGivenUp = (connection: string) =>
    logger.warn({ connection }, 'the platform did not confirm the revocation of a deleted connection within 24 h');
  let platform: Platform | null = null;
  const signIn = () => platform?.signIn;
  // Pollers look at their connection again after a failure.
  const notify = (account: string, id: string) => void onChange(account, id).catch(onError);
  const logins = new ConnectionLogins({ records, runtime, signIn, sealEnd, onError, onChange: notify });
  const revocations = new Revocations({ records, runtime, signIn, onError, onGivenUp });
  return {
    logins,
    open(opened: Platform, publicUrl: () => string | null, { platform: { kind }, corsOrigins }: Config) {
      platform = opened;
      const parts = { records, platform: opened, changed: (record: StoredConnection) => void logins.changed(record) };
      const flow = new SignInFlow({ ...parts, accounts: store.accounts, onError: onSignInError });
      const service = new ConnectionService({
        ...parts,
        flow,
        publicUrl,
        returnOrigins: corsOrigins,
        signInHint: signInHints[kind],
        hasPasswords: kind === 'atproto',
        revokeSoon: () => void revocations.runSoon(),
      });
      return { flow, service };
    },
    async close() {
      await revocations.close();
      await logins.close();
    },
  };
}
