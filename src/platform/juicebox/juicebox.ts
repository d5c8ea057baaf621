import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import type { Transport } from '../http/transport.ts';
import type { KeyBackup, RecoveryOutcome } from '../key-backup-port.ts';
import type { PlatformCall } from '../port.ts';
import type { BackupConfig, ConfigRules } from './config.ts';
import { RealmRequests } from './realm-requests.ts';
import { type SdkAnswer, SdkWorkers } from './sdk-workers.ts';

/** The length of the secret: the private identity key and the private signing key. */
const secretBytes = 64;

/** Juicebox's client: https://github.com/juicebox-systems/juicebox-sdk */
export class Juicebox {
  readonly rules: ConfigRules;
  readonly #transport: Transport;
  readonly #runtime: Runtime;
  readonly #workers: SdkWorkers;

  constructor(rules: ConfigRules, transport: Transport, runtime: Runtime) {
    this.rules = rules;
    this.#transport = transport;
    this.#runtime = runtime;
    this.#workers = new SdkWorkers(runtime);
  }

  /** Returns the backup with this configuration, on behalf of one actor. */
  backup(config: BackupConfig, call: PlatformCall): Omit<KeyBackup, 'published'> {
    const running = new Set<RealmRequests>();
    const run = async (code: Secret, secret?: Uint8Array) => {
      const parts = { config, call, transport: this.#transport, runtime: this.#runtime };
      const requests = new RealmRequests({ ...parts, isRecovery: secret === undefined });
      running.add(requests);
      const pin = new TextEncoder().encode(code.expose());
      const answer = await this.#workers.run({ pin, ...(secret && { secret }) }, config, requests.send);
      pin.fill(0);
      return { answer, requests };
    };
    return {
      async recover(code) {
        const { answer, requests } = await run(code);
        return outcomeOf(answer, requests, config);
      },
      async register(code, privateKeys) {
        if (privateKeys.length !== secretBytes) throw new Error(`private keys have ${secretBytes} bytes`);
        const { answer, requests } = await run(code, privateKeys);
        if (answer.reason === undefined) return { kind: 'registered' };
        return { kind: 'realms_away', errors: requests.errors };
      },
      settled: () => Promise.all([...running].map((requests) => requests.settled())),
    };
  }

  close(): Promise<void> {
    return this.#workers.close();
  }
}

/** The SDK reports one reason for all realms, so the responses of the single realms decide what it means. */
function outcomeOf({ secret, reason, guessesRemaining }: SdkAnswer, requests: RealmRequests, config: BackupConfig) {
  const { errors, guessesLeft, unregistered } = requests;
  const away: RecoveryOutcome = { kind: 'realms_away', errors };
  if (secret?.length === secretBytes) return { kind: 'recovered', privateKeys: secret } satisfies RecoveryOutcome;
  if (reason === 'NotRegistered') {
    // A realm with the record of an earlier registration counts as not registered for the SDK.
    const isSure = unregistered.size >= config.recoverThreshold || errors.length === 0;
    return isSure ? ({ kind: 'not_registered' } satisfies RecoveryOutcome) : away;
  }
  if (reason !== 'InvalidPin') return away;
  // Responses of encrypting realms can be read by the SDK only, which reports the least number of all realms.
  const isEncrypted = config.realms.some(({ publicKey }) => publicKey !== null);
  const counts = [...guessesLeft.values(), ...(isEncrypted ? [guessesRemaining ?? 0] : [])].sort((a, b) => b - a);
  const areGone = counts.filter((count) => count === 0).length >= config.recoverThreshold;
  // A recovery needs two realms, so the second largest count is the number of guesses that remain.
  const remaining = areGone ? 0 : Math.max(1, counts[1] ?? counts[0] ?? guessesRemaining ?? 0);
  return { kind: 'wrong_code', guessesRemaining: remaining } satisfies RecoveryOutcome;
}
