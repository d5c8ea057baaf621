import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { numbersFor } from '../bench/random.js';

const micros = 1_000_000;
/** Does not reuse connections. The server may close a reused one while a call is sent, and the call would count as interrupted. */
const agent = new Agent({ connections: 64, pipelining: 0 });
const maxTries = 100;
const eventLimitMs = 120_000;
const maxEventsMissing = 50;
const pauseMs = 100;
/** The share of writes that are repeated with their Idempotency-Key. */
const repeatedShare = 0.3;
/** The number of webhooks above which the callers delete one for each that they create. */
const webhooksKept = 20;

/**
 * Callers that write with an Idempotency-Key, read, change webhooks and cause events, and remember every outcome. Times are milliseconds of
 * `performance.now()`.
 */
export class Load {
  /** The gateways that get calls. A gateway must be removed before it stops. */
  gateways = [];
  /** Charged calls: `{ account, sentAt, answeredAt, charged }`. `answeredAt` is infinite if a 503 left open whether the call is charged. */
  calls = [];
  /** Tweets: `{ key, text, actor, id, sentAt, answeredAt }`. */
  writes = [];
  /** Webhooks that get no events: `{ account, id, url, sentAt, answeredAt, deleteSentAt, deletedAt }`. */
  webhooks = [];
  /** Descriptions of calls that failed. */
  failures = [];
  /** The number of calls that were repeated after 503. */
  repeated = 0;
  #options;
  #running = [];
  #isStopping = false;
  #number = 0;
  #turn = 0;

  /** `accounts` has the accounts that pay for `writes`, `reads` and `webhooks`, by name. */
  constructor({ seed, callers, sandboxUrl, receiver, accounts }) {
    this.#options = { seed, callers, sandboxUrl, receiver, accounts };
  }

  /** Creates platform accounts, each with a webhook for its followers. */
  async prepare() {
    const { sandboxUrl, callers, receiver } = this.#options;
    const { accounts } = await postJson(`${sandboxUrl}/control/accounts`, { count: callers });
    this.actors = accounts.map((actor, index) => ({ ...actor, path: `/actor/${index}`, happened: 0 }));
    for (const actor of this.actors) {
      const secret = `the secret of ${actor.path}`;
      await this.#createWebhook('webhooks', actor, receiver.address(actor.path, secret), secret, 'user.follow');
    }
  }

  start() {
    const { seed, callers } = this.#options;
    this.#isStopping = false;
    const loops = [
      ...Array.from({ length: callers }, (_, index) => ['writer', index, (random) => this.#write(index, random)]),
      ...Array.from({ length: Math.ceil(callers / 2) }, (_, index) => ['reader', index, () => this.#read()]),
      ['webhooks', 0, (random) => this.#changeWebhooks(random)],
      ['events', 0, (random) => this.#causeEvents(random)],
    ];
    this.#running = loops.map(([name, index, run]) => this.#repeat(run, numbersFor(seed, `${name} ${index}`)));
  }

  /** Stops the callers when their calls have ended. */
  async stop() {
    this.#isStopping = true;
    await Promise.all(this.#running);
  }

  async #repeat(run, random) {
    while (!this.#isStopping && this.failures.length < 20) {
      try {
        await run(random);
      } catch (error) {
        this.failures.push(`${error.message}${error.cause ? ` (${error.cause.message})` : ''}`);
      }
    }
  }

  async #write(index, random) {
    const key = `${this.#options.seed}-${++this.#number}`;
    const write = { key, text: `Written under the key ${key}`, actor: this.actors[index] };
    const { data, sentAt, answeredAt } = await this.sendWrite(write);
    this.writes.push({ ...write, id: data.id, sentAt, answeredAt });
    if (random() > repeatedShare) return;
    const again = await this.sendWrite(write);
    if (!again.replayed || again.data.id !== data.id) throw new Error(`a repeated write was performed again: ${key}`);
  }

  /** Sends a write. Its text may differ from the one that was sent under the key before. */
  sendWrite({ key, text, actor }, options = {}) {
    const headers = { 'x-auth-token': actor.authToken, 'idempotency-key': key };
    return this.send('writes', 'POST', '/tweet/create', { text }, { headers, ...options });
  }

  #read() {
    const headers = { 'x-auth-token': this.actors[0].authToken };
    return this.send('reads', 'GET', '/user/info?userName=grace', undefined, { headers });
  }

  async #changeWebhooks(random) {
    await sleep(pauseMs);
    await this.createWebhooks('webhooks', 1);
    // Another gateway may have stored the addresses.
    await this.send('webhooks', 'GET', '/webhooks?count=5');
    const left = this.webhooks.filter(
      ({ account, deleteSentAt }) => account === 'webhooks' && deleteSentAt === undefined,
    );
    if (left.length < webhooksKept) return;
    const deleted = left[Math.floor(random() * left.length)];
    deleted.deleteSentAt = performance.now();
    deleted.deletedAt = (await this.send('webhooks', 'DELETE', `/webhooks/${deleted.id}`)).answeredAt;
  }

  /** Creates webhooks that get no events. `account` is the name of the account that has them. */
  async createWebhooks(account, count) {
    for (let i = 0; i < count; i++) {
      const path = `/quiet/${++this.#number}`;
      const secret = `the secret of ${path}`;
      const url = this.#options.receiver.address(path, secret);
      const actor = this.actors[this.#number % this.actors.length];
      this.webhooks.push(await this.#createWebhook(account, actor, url, secret, 'tweet.quote'));
    }
  }

  async #createWebhook(account, actor, url, secret, event) {
    const headers = { 'x-auth-token': actor.authToken, 'idempotency-key': url };
    const input = { url, secret, events: [event] };
    const { data, sentAt, answeredAt } = await this.send(account, 'POST', '/webhooks', input, { headers });
    if (!data.valid) throw new Error(`the webhook ${url} is not valid: ${data.last_error}`);
    return { account, id: data.id, url, sentAt, answeredAt };
  }

  async #causeEvents(random) {
    await sleep(pauseMs);
    // A store that is slower than the sandbox would need minutes for all events.
    if (this.#eventsMissing() > maxEventsMissing) return;
    const actor = this.actors[Math.floor(random() * this.actors.length)];
    await this.causeEvents(actor, 1 + Math.floor(random() * 3));
  }

  /** Makes users follow an actor. */
  async causeEvents(actor, count) {
    await postJson(`${this.#options.sandboxUrl}/control/events`, { type: 'follow', userName: actor.userName, count });
    actor.happened += count;
  }

  /** Returns a message if no further event arrives for two minutes although some are missing, otherwise `null`. */
  async waitForEvents() {
    let missing = this.#eventsMissing();
    let deadline = performance.now() + eventLimitMs;
    while (missing > 0 && performance.now() < deadline) {
      await sleep(pauseMs);
      const now = this.#eventsMissing();
      if (now < missing) deadline = performance.now() + eventLimitMs;
      missing = now;
    }
    return missing === 0 ? null : `${missing} events did not arrive, or arrived under another id`;
  }

  #eventsMissing() {
    const lost = (actor) => actor.happened - this.#options.receiver.eventsAt(actor.path);
    return this.actors.reduce((sum, actor) => sum + Math.abs(lost(actor)), 0);
  }

  /**
   * Sends a call and repeats it while it gets 503, or 409 because the first request with its key is running. Throws if the status is not
   * the expected one, or if a connection breaks.
   */
  async send(name, method, path, input, { headers = {}, expected = [200] } = {}) {
    const account = this.#options.accounts[name];
    const sentAt = performance.now();
    for (let tries = 1; ; tries++) {
      const gateway = this.gateways[this.#turn++ % this.gateways.length];
      const response = await fetch(`${gateway.url}/v1${path}`, {
        method,
        dispatcher: agent,
        headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json', ...headers },
        ...(input && { body: JSON.stringify(input) }),
        signal: AbortSignal.timeout(60_000),
      });
      const { data, error } = await response.json();
      const retryAfter = response.headers.get('retry-after');
      if ((response.status === 503 || (response.status === 409 && retryAfter)) && tries < maxTries) {
        if (response.status === 503) this.repeated += 1;
        if (error.includes('may still be charged')) this.calls.push(uncertain(account, sentAt));
        await sleep(Number(retryAfter ?? 1) * 1_000);
        continue;
      }
      if (!expected.includes(response.status)) throw new Error(`${method} ${path}: ${response.status} ${error}`);
      const answeredAt = performance.now();
      const charged = Math.round(Number(response.headers.get('x-credits-charged') ?? 0) * micros);
      if (charged > 0) this.calls.push({ account, sentAt, answeredAt, charged });
      const replayed = response.headers.get('idempotent-replayed') === 'true';
      return { status: response.status, data, charged, replayed, sentAt, answeredAt };
    }
  }
}

/** The highest price of a call. */
const highestPrice = 10_000;

function uncertain(account, sentAt) {
  return { account, sentAt, answeredAt: Number.POSITIVE_INFINITY, charged: highestPrice };
}

export async function postJson(url, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', dispatcher: agent, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
