import { PosternError } from '../../shared/errors/postern-error.ts';
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
      const enough = secret ? config.realms.length : config.recoverThreshold;
      const requests = new RealmRequests({ ...parts, enough });
      running.add(requests);
      const pin = new TextEncoder().encode(code.expose());
      try {
        const answer = await this.#workers.run({ pin, ...(secret && { secret }) }, config, requests.send);
        return { answer, requests };
      } finally {
        pin.fill(0);
      }
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

/**
 * Returns what the answer of the SDK means. The SDK reports the smallest error of any realm, so that one realm alone
 * can make it say that the PIN is wrong or that there is no record.
 */
function outcomeOf({ secret, reason, guessesRemaining }: SdkAnswer, requests: RealmRequests, config: BackupConfig) {
  const { errors, guessesLeft, unregistered, missing, responded } = requests;
  const { recoverThreshold: enough } = config;
  const away: RecoveryOutcome = { kind: 'realms_away', errors };
  if (secret?.length === secretBytes) return { kind: 'recovered', privateKeys: secret } satisfies RecoveryOutcome;
  if (secret !== undefined)
    throw new PosternError('platform_unreadable', 'The key backup has a secret that is not chat keys');
  if (reason === 'NotRegistered') {
    // A realm with the record of an earlier registration counts as not registered for the SDK.
    const isSure = unregistered.size >= enough || missing === 0;
    return isSure ? ({ kind: 'not_registered' } satisfies RecoveryOutcome) : away;
  }
  if (reason !== 'InvalidPin') return away;
  const counts = [...guessesLeft.values()].sort((a, b) => b - a);
  const [, evaluated = 0, ...later] = responded;
  // In the first phase the SDK gives up after the refusals of two realms.
  const areGone = counts.filter((count) => count === 0).length >= enough || (responded.length === 1 && missing === 0);
  // In the second phase enough realms have to agree that the PIN is wrong: otherwise tags follow. 0 may be the refusal
  // of one realm.
  const isWrong = evaluated >= enough && later.length === 0 && (guessesRemaining !== 0 || missing === 0);
  if (!areGone && !isWrong) return away;
  // A recovery needs two realms, so the second largest count is the number of guesses that remain. Only the SDK can
  // read the responses of encrypting realms, and reports the least number.
  const remaining = areGone ? 0 : Math.max(1, counts[1] ?? guessesRemaining ?? 1);
  return { kind: 'wrong_code', guessesRemaining: remaining } satisfies RecoveryOutcome;
}
