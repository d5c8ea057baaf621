import { ConnectionService } from '../connections/connection-service.ts';
import { ConnectionLogins, type EndedLogin } from '../connections/logins.ts';
import { ConnectionRecords } from '../connections/records.ts';
import { Revocations } from '../connections/revocations.ts';
import { SignIn } from '../connections/sign-in.ts';
import type { Platform } from '../platform/port.ts';
import type { Config } from '../shared/config/config.ts';
import type { PlatformKind } from '../shared/config/settings.ts';
import type { Logger } from '../shared/observability/logger.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import { Vault } from '../shared/secrets/vault.ts';
import type { Store } from '../store/port.ts';

export interface ConnectionOptions {
  store: Store;
  runtime: Runtime;
  logger: Logger;
  secretKeys: readonly Secret<Buffer>[];
  /** Called after a login was repaired or has ended, or its connection was deleted. */
  onChange: (account: string, id: string) => Promise<void>;
  onEnd: (ended: EndedLogin) => Promise<void>;
}

const noSignIn: Readonly<Record<PlatformKind, string>> = {
  sandbox: 'sign-ins with SANDBOX_PUBLIC, because browsers cannot open the pages of the embedded sandbox',
  x: "sign-ins need X_CLIENT_ID, the client id of the operator's app at X",
  atproto: 'sign-ins with a browser. Send identifier and app_password',
};

/** Starts the logins of connections, which the adapter of the platform needs. `open` returns what needs the platform. */
export function startConnections({ store, runtime, logger, secretKeys, onChange, onEnd }: ConnectionOptions) {
  const records = new ConnectionRecords({ store, vault: new Vault(secretKeys, runtime), runtime });
  const onError = (err: unknown) => logger.warn({ err }, 'connections could not be stored or read; trying again');
  let platform: Platform | null = null;
  const signIn = () => platform?.signIn;
  const tell = (account: string, id: string, pauseMs = 1_000) =>
    void onChange(account, id).catch((error) => {
      onError(error);
      runtime.after(pauseMs, () => tell(account, id, 2 * pauseMs));
    });
  const logins = new ConnectionLogins({ records, runtime, signIn, onEnd, onError, onChange: (...of) => tell(...of) });
  const revocations = new Revocations({ records, runtime, signIn, onError });
  return {
    logins,
    open(opened: Platform, publicUrl: () => string | null, { platform: { kind }, corsOrigins }: Config) {
      platform = opened;
      const parts = { records, platform: opened, changed: logins.changed };
      const steps = new SignIn({ ...parts, accounts: store.accounts });
      const service = new ConnectionService({
        ...{ ...parts, signIn: steps, publicUrl, returnOrigins: corsOrigins },
        ...{ noSignIn: noSignIn[kind], hasPasswords: kind === 'atproto', revokeSoon: () => void revocations.soon() },
      });
      return { steps, service };
    },
    async close() {
      await revocations.close();
      await logins.close();
    },
  };
}
