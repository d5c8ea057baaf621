import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Runtime, Timer } from '../../shared/runtime/runtime.ts';
import type { BackupConfig } from './config.ts';

/**
 * The program of a worker thread, as a string, because a file would be TypeScript in tests and JavaScript after the
 * build. The SDK is made for browsers: its WASM calls the globals `fetch` and `JuiceboxGetAuthToken`. A panic of it is
 * written to `console.error`, and its text may have secrets.
 */
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const waiting = new Map();
let next = 0, tokens = {}, hasPanicked = false;
globalThis.fetch = async (request) => {
  const body = new Uint8Array(await request.arrayBuffer());
  const id = next++;
  const answer = await new Promise((resolve) => {
    waiting.set(id, resolve);
    parentPort.postMessage({ id, url: request.url, headers: Object.fromEntries(request.headers), body });
  });
  // The SDK repeats a request after an error, but not after a response that it cannot read.
  return new Response(answer?.body ?? '');
};
globalThis.JuiceboxGetAuthToken = async (id) => tokens[Buffer.from(id).toString('hex')];
console.error = () => { hasPanicked = true; };
const loading = import(workerData.glue).then(async (sdk) => {
  const { exports } = await WebAssembly.instantiate(workerData.wasm, { './juicebox-sdk_bg.js': sdk });
  sdk.__wbg_set_wasm(exports);
  return sdk;
});
const run = async ({ config, pin, secret, guesses }) => {
  const sdk = await loading;
  const info = new Uint8Array(0);
  try {
    const client = new sdk.Client(new sdk.Configuration(config), []);
    const found = secret ? await client.register(pin, secret, info, guesses) : await client.recover(pin, info);
    client.free();
    return { secret: found };
  } catch (error) {
    if (typeof error === 'number') return { reason: sdk.RegisterError[error] };
    if (!(error instanceof sdk.RecoverError)) throw error;
    const answer = { reason: sdk.RecoverErrorReason[error.reason], guessesRemaining: error.guesses_remaining };
    error.free();
    return answer;
  } finally {
    pin.fill(0);
    secret?.fill(0);
  }
};
parentPort.on('message', async (message) => {
  if ('job' in message) {
    tokens = message.tokens;
    const answer = await run(message.job).catch(() => {
      hasPanicked = true;
      return { reason: 'Panic' };
    });
    parentPort.postMessage({ answer, hasPanicked });
    answer.secret?.fill(0);
  } else {
    waiting.get(message.id)?.(message.answer);
    waiting.delete(message.id);
  }
});`;

/** The result of an operation of the SDK. Without a `reason` it succeeded. */
export interface SdkAnswer {
  readonly secret?: Uint8Array | undefined;
  readonly reason?: string;
  readonly guessesRemaining?: number | undefined;
}

/** A response for the SDK. Null: none, because the request failed. */
export type RealmReply = { readonly body: Uint8Array } | null;

/** A request of the SDK to the realm with this index. */
export interface SdkRequest {
  readonly index: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

interface Job {
  readonly pin: Uint8Array;
  /** The secret to register. Without it, the secret is recovered. */
  readonly secret?: Uint8Array;
}

type FromWorker =
  | { readonly id: number; readonly url: string; readonly headers: Record<string, string>; readonly body: Uint8Array }
  | { readonly answer: SdkAnswer; readonly hasPanicked: boolean };

/** A thread that is not used for this time ends, because each keeps 18 MiB of WASM memory. */
const idleMs = 10_000;
/** The limit of an operation, which has three rounds of requests. */
const operationMs = 60_000;

/**
 * Runs Juicebox's SDK in worker threads, one operation at a time in each. The caller limits the number of operations.
 */
export class SdkWorkers {
  readonly #runtime: Pick<Runtime, 'after'>;
  readonly #idle = new Map<Worker, Timer>();
  readonly #workers = new Set<Worker>();
  #wasm: Promise<WebAssembly.Module> | undefined;

  constructor(runtime: Pick<Runtime, 'after'>) {
    this.#runtime = runtime;
  }

  /**
   * Runs one operation. Its requests are sent by `send`, which must not reject. Addresses of realms do not enter the
   * thread.
   */
  async run(job: Job, config: BackupConfig, send: (request: SdkRequest) => Promise<RealmReply>): Promise<SdkAnswer> {
    const worker = this.#takeIdle() ?? (await this.#start());
    return new Promise((resolve) => {
      const finish = (answer: SdkAnswer, isUsable: boolean) => {
        limit.cancel();
        worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
        if (isUsable)
          this.#idle.set(
            worker,
            this.#runtime.after(idleMs, () => this.#end(worker)),
          );
        else this.#end(worker);
        resolve(answer);
      };
      const onMessage = (message: FromWorker) => {
        if ('answer' in message) return finish(message.answer, !message.hasPanicked);
        const { id, url, headers, body } = message;
        const index = Number(/^https:\/\/realm-(\d+)\.invalid\//.exec(url)?.[1]);
        void send({ index, headers, body }).then((answer) => worker.postMessage({ id, answer }));
      };
      const onEnd = () => finish({ reason: 'Ended' }, false);
      const limit = this.#runtime.after(operationMs, onEnd);
      worker.on('message', onMessage).on('error', onEnd).on('exit', onEnd);
      const work = { ...job, config: sdkConfig(config), guesses: config.guesses };
      worker.postMessage({ job: work, tokens: tokensOf(config) });
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  #takeIdle(): Worker | undefined {
    const [entry] = this.#idle;
    if (entry === undefined) return undefined;
    const [worker, timer] = entry;
    timer.cancel();
    this.#idle.delete(worker);
    return worker;
  }

  async #start(): Promise<Worker> {
    const { resolve } = createRequire(import.meta.url);
    this.#wasm ??= compile(resolve('juicebox-sdk/juicebox-sdk_bg.wasm')).catch((error) => {
      this.#wasm = undefined;
      throw error;
    });
    const glue = pathToFileURL(resolve('juicebox-sdk/juicebox-sdk_bg.js')).href;
    const workerData = { glue, wasm: await this.#wasm };
    const worker = new Worker(program, { eval: true, workerData, env: {}, execArgv: [], name: 'juicebox' });
    worker.unref();
    this.#workers.add(worker);
    worker
      .on('error', () => {})
      .once('exit', () => {
        this.#workers.delete(worker);
        this.#idle.get(worker)?.cancel();
        this.#idle.delete(worker);
      });
    return worker;
  }

  #end(worker: Worker): void {
    this.#idle.delete(worker);
    void worker.terminate();
  }
}

async function compile(file: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(file));
}

function sdkConfig({ realms, registerThreshold, recoverThreshold, pinHashing }: BackupConfig): string {
  return JSON.stringify({
    realms: realms.map(({ id, publicKey }, index) => ({
      id,
      address: `https://realm-${index}.invalid/`,
      ...(publicKey !== null && { public_key: publicKey }),
    })),
    register_threshold: registerThreshold,
    recover_threshold: recoverThreshold,
    pin_hashing_mode: pinHashing,
  });
}

function tokensOf({ realms }: BackupConfig): Record<string, string> {
  return Object.fromEntries(realms.map(({ id, token }) => [id, token]));
}
