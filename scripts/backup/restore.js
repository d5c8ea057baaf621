import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askPostern, createAccount, runPostern } from './environment.js';
import { Load } from './load.js';
import { startReceiver } from './receiver.js';

const micros = 1_000_000;
const credit = 1_000;
const payment = 5;
/** The number of writes after the backup whose keys are looked up. */
const lookedUp = 20;
const concurrency = 8;

/**
 * Backs up a store while callers work, kills the gateways, restores the backup into an empty store, and goes on with it. Returns the
 * measured figures, and the violations.
 */
export async function checkBackup(environment, { seed, callers, seconds }) {
  const faults = [];
  const receiver = await startReceiver();
  const settings = environment.emptyStore();
  const accounts = {};
  for (const name of ['writes', 'reads', 'webhooks']) accounts[name] = await createAccount(name, credit, settings);
  const load = new Load({ seed, callers, sandboxUrl: environment.sandboxUrl, receiver, accounts });
  // The embedded store is that of one machine.
  const count = environment.kind === 'sqlite' ? 1 : 2;
  for (let i = 0; i < count; i++) load.gateways.push(await environment.startGateway(settings));
  await load.prepare();

  load.start();
  await sleep((seconds * 1_000) / 2);
  await askPostern(['account', 'credit', accounts.writes.id, String(payment)], settings);
  const folder = join(environment.folder, `backup-${seed}`);
  const backup = await runPostern(['backup', folder], settings);
  if (backup.code !== 0) throw new Error(`postern backup ended with ${backup.code}: ${backup.err}`);
  await askPostern(['account', 'credit', accounts.reads.id, String(payment)], settings);
  await sleep((seconds * 1_000) / 2);
  await load.stop();
  const before = [...load.calls];
  for (const gateway of load.gateways) await environment.stopGateway(gateway, 'SIGKILL');
  // Events that happen while no gateway runs.
  for (const actor of load.actors) await load.causeEvents(actor, 2);

  const machine = environment.emptyStore(settings.SECRET_KEY);
  const restored = await runPostern(['restore', folder], machine);
  if (restored.code !== 0) throw new Error(`postern restore ended with ${restored.code}: ${restored.err}`);
  const books = await booksOf(machine);
  faults.push(...judgeBooks(books, { accounts, calls: before, backup }));
  const gateway = await environment.startGateway(machine);
  const servingAt = performance.now();
  load.gateways = [gateway];

  const found = await listWebhooks(load);
  faults.push(...judgeWebhooks(found, load.webhooks, backup));
  load.webhooks = load.webhooks.filter(({ id }) => found.has(id));
  const replayed = await repeatWrites(load, backup, faults);
  const price = before.find(({ account }) => account === accounts.writes)?.charged ?? 0;
  const { charged } = books.get(accounts.writes.id);
  if (charged !== replayed * price) {
    faults.push(`the backup has ${replayed} stored responses, but charges for ${charged / price} writes`);
  }
  await lookUpLaterWrites(load, backup, faults);

  load.start();
  await sleep((seconds * 1_000) / 2);
  await load.stop();
  const lost = await load.waitForEvents();
  if (lost) faults.push(lost);
  const { counts } = receiver;
  if (counts.unsigned > 0) faults.push(`${counts.unsigned} deliveries have a wrong signature`);
  if (counts.differing > 0) faults.push(`${counts.differing} repeated deliveries have another body`);
  faults.push(...(await judgeEnd(load, { machine, books, accounts, earlier: before.length })));
  faults.push(...(await findDoubledTweets(environment, load.writes, backup)), ...load.failures);
  await environment.stopGateway(gateway);
  receiver.stop();
  return {
    faults,
    calls: load.calls.length,
    repeated: load.repeated,
    replayed,
    events: load.actors.reduce((sum, { happened }) => sum + happened, 0),
    again: counts.repeated,
    backupMs: backup.endedAt - backup.startedAt,
    usualMs: latency(before.filter(({ answeredAt }) => answeredAt < backup.startedAt)),
    duringMs: latency(before.filter((call) => call.sentAt < backup.endedAt && call.answeredAt > backup.startedAt)),
    restoreMs: servingAt - restored.startedAt,
  };
}

/** Returns the books of all accounts in micro-dollars, by account. */
async function booksOf(settings) {
  const accounts = await askPostern(['account', 'list'], settings);
  return new Map(
    accounts.map(({ id, balance, held, charged }) => {
      const [available, reserved, spent] = [balance, held, charged].map((text) => Math.round(Number(text) * micros));
      return [id, { paid: available + reserved + spent, held: reserved, charged: spent }];
    }),
  );
}

/** Every call that was answered before the backup began is charged, and no call that was sent after it ended. */
function judgeBooks(books, { accounts, calls, backup }) {
  const faults = [];
  for (const account of Object.values(accounts)) {
    const { paid, charged } = books.get(account.id);
    const own = calls.filter((call) => call.account === account);
    const least = sum(own.filter(({ answeredAt }) => answeredAt < backup.startedAt));
    const most = sum(own.filter(({ sentAt }) => sentAt < backup.endedAt));
    if (charged < least || charged > most) {
      faults.push(`${account.name}: charged ${charged}, which is not between ${least} and ${most}`);
    }
    const expected = (credit + (account === accounts.writes ? payment : 0)) * micros;
    if (paid !== expected) faults.push(`${account.name}: paid is ${paid} instead of ${expected}`);
  }
  return faults;
}

async function listWebhooks(load) {
  const found = [];
  let cursor = '';
  do {
    const { data } = await load.send('webhooks', 'GET', `/webhooks?count=100${cursor}`);
    found.push(...data.webhooks);
    cursor = data.has_more ? `&cursor=${encodeURIComponent(data.next_cursor)}` : null;
  } while (cursor !== null);
  return new Map(found.map((webhook) => [webhook.id, webhook]));
}

function judgeWebhooks(found, made, { startedAt, endedAt }) {
  const faults = [];
  for (const { id, url, sentAt, answeredAt, deleteSentAt, deletedAt } of made) {
    const isThere = found.has(id);
    const mustBe = answeredAt < startedAt && !(deleteSentAt < endedAt);
    const mustNotBe = sentAt > endedAt || deletedAt < startedAt;
    if (mustBe && !isThere) faults.push(`the webhook ${url} is missing`);
    if (mustNotBe && isThere) faults.push(`the webhook ${url} is there, but was made later or deleted before`);
    if (isThere && found.get(id).url !== url) faults.push(`the webhook ${url} has the address ${found.get(id).url}`);
  }
  return faults;
}

/** Repeats all writes that may be in the backup. Returns the number of those that got their stored response. */
async function repeatWrites(load, backup, faults) {
  const possible = load.writes.filter(({ sentAt }) => sentAt < backup.endedAt);
  let replayed = 0;
  let next = 0;
  const repeat = async () => {
    while (next < possible.length) {
      const write = possible[next++];
      // The platform refuses a text that it has.
      const again = await load.sendWrite(write, { expected: [200, 409] });
      if (again.replayed) replayed += 1;
      else if (write.answeredAt < backup.startedAt) faults.push(`${write.key} was performed again`);
      if (again.replayed && again.data.id !== write.id) faults.push(`${write.key} has another response`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, repeat));
  return replayed;
}

/** Sends other requests under the keys of writes after the backup. A key that the store knows is refused with 422. */
async function lookUpLaterWrites(load, backup, faults) {
  const later = load.writes.filter(({ sentAt }) => sentAt > backup.endedAt);
  for (const write of later.slice(0, lookedUp)) {
    const { status } = await load.sendWrite({ ...write, text: `${write.text}, changed` }, { expected: [200, 422] });
    if (status === 422) faults.push(`the key ${write.key} is known, but was used after the backup`);
  }
}

/** Waits until reserved credit is given back. Then the charges are those of the backup and those of the calls after it. */
async function judgeEnd(load, { machine, books, accounts, earlier }) {
  const faults = [];
  const deadline = performance.now() + 120_000;
  let now = await booksOf(machine);
  while (Object.values(accounts).some(({ id }) => now.get(id).held > 0) && performance.now() < deadline) {
    await sleep(500);
    now = await booksOf(machine);
  }
  for (const [name, account] of Object.entries(accounts)) {
    const { held, charged, paid } = now.get(account.id);
    if (held > 0) faults.push(`${name}: ${held} are still held`);
    const added = load.calls.slice(earlier).filter((call) => call.account === account);
    const isCertain = added.every(({ answeredAt }) => Number.isFinite(answeredAt));
    const expected = books.get(account.id).charged + sum(added);
    if (isCertain ? charged !== expected : charged > expected) {
      faults.push(`${name}: charged ${charged} instead of ${expected} after the restore`);
    }
    const { data } = await load.send(name, 'GET', '/account/usage');
    const used = Math.round(Number(data.total.charged) * micros);
    if (used !== charged) faults.push(`${name}: charged ${charged}, but the usage is ${used}`);
    if (paid !== books.get(account.id).paid) faults.push(`${name}: paid has changed`);
  }
  return faults;
}

async function findDoubledTweets({ sandboxUrl }, writes, { startedAt }) {
  const { tweets } = await (await fetch(`${sandboxUrl}/control/tweets`)).json();
  const times = new Map();
  for (const { text } of tweets) times.set(text, (times.get(text) ?? 0) + 1);
  return writes
    .filter(({ answeredAt, text }) => answeredAt < startedAt && times.get(text) !== 1)
    .map(({ text }) => `posted ${times.get(text) ?? 0} times: ${text}`);
}

function sum(calls) {
  return calls.reduce((total, { charged }) => total + charged, 0);
}

function latency(calls) {
  const times = calls.map(({ sentAt, answeredAt }) => answeredAt - sentAt).filter(Number.isFinite);
  times.sort((a, b) => a - b);
  return times[Math.floor((times.length - 1) * 0.99)] ?? Number.NaN;
}
