import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { MongoClient } from 'mongodb';
import { numbersFor } from '../bench/random.js';
import { createAccount, newSecretKey, runPostern } from './environment.js';
import { Load } from './load.js';
import { startReceiver } from './receiver.js';

const credit = 1_000;
const gatewayCount = 2;
/** An account may have 100 webhooks. */
const webhooksOfAccount = 100;
/** The time between the removal of a gateway and its end, in which its calls end. */
const removalMs = 500;

/**
 * Changes SECRET_KEY while callers work, as docs/operating.md describes it, and kills `postern secrets rotate` several times. Returns the
 * measured figures, and the violations.
 */
export async function checkRotation(environment, { seed, callers, seconds, webhooks, kills }) {
  const faults = [];
  const receiver = await startReceiver();
  const settings = environment.emptyStore();
  const oldKey = settings.SECRET_KEY;
  const newKey = newSecretKey();
  const withKeys = (...keys) => ({ ...settings, SECRET_KEY: keys.join(',') });
  const accounts = {};
  const more = Array.from({ length: Math.ceil(webhooks / webhooksOfAccount) }, (_, index) => `more webhooks ${index}`);
  for (const name of ['writes', 'reads', 'webhooks', ...more]) {
    accounts[name] = await createAccount(name, credit, settings);
  }
  const load = new Load({ seed, callers, sandboxUrl: environment.sandboxUrl, receiver, accounts });
  for (let i = 0; i < gatewayCount; i++) load.gateways.push(await environment.startGateway(settings));
  await load.prepare();
  for (const [index, name] of more.entries()) {
    await load.createWebhooks(name, Math.min(webhooksOfAccount, webhooks - index * webhooksOfAccount));
  }

  const phase = () => sleep((seconds * 1_000) / 8);
  load.start();
  await phase();
  await restartOneByOne(environment, load, withKeys(oldKey, newKey), phase);
  await restartOneByOne(environment, load, withKeys(newKey, oldKey), phase);
  const newKeyFrom = performance.now();
  const both = withKeys(newKey, oldKey);
  const interrupted = await interruptRotations(both, kills, numbersFor(seed, 'rotation'));
  const startedAt = performance.now();
  const rotation = await rotate(both, faults);
  const rotateMs = performance.now() - startedAt;
  const again = await rotate(both, faults);
  if (again.rotated !== 0) faults.push(`a second rotation encrypted ${again.rotated} records`);
  await phase();
  await load.stop();
  // Events that wait are encrypted with either key. Otherwise the old key would be needed for 24 hours.
  const late = await load.waitForEvents();
  if (late) faults.push(late);
  load.start();
  await restartOneByOne(environment, load, withKeys(newKey), phase);
  await load.stop();

  const ids = await keyIds(settings);
  if (ids.size !== 1) faults.push(`the secrets of webhooks and pollers are encrypted with ${ids.size} keys`);
  for (const actor of load.actors) await load.causeEvents(actor, 1);
  const lost = await load.waitForEvents();
  if (lost) faults.push(lost);
  faults.push(...(await judgeWebhooks(load)), ...(await judgeStoredResponses(load, newKeyFrom)), ...load.failures);
  const { counts } = receiver;
  if (counts.unsigned > 0) faults.push(`${counts.unsigned} deliveries have a wrong signature`);
  if (counts.differing > 0) faults.push(`${counts.differing} repeated deliveries have another body`);
  for (const gateway of load.gateways) await environment.stopGateway(gateway);
  const refused = await environment.refusedGateway(withKeys(oldKey));
  if (refused.code !== 1 || !refused.err.includes('SECRET_KEY')) {
    faults.push(`a gateway with the old key ended with ${refused.code}: ${refused.err}`);
  }
  receiver.stop();
  return {
    faults,
    calls: load.calls.length,
    repeated: load.repeated,
    checked: rotation.checked,
    interrupted,
    rotateMs,
    events: load.actors.reduce((sum, { happened }) => sum + happened, 0),
  };
}

/** Replaces each gateway, without calls to it while it is away, and waits for `phase` after each. */
async function restartOneByOne(environment, load, settings, phase) {
  for (const gateway of [...load.gateways]) {
    load.gateways = load.gateways.filter((each) => each !== gateway);
    await sleep(removalMs);
    await environment.stopGateway(gateway);
    load.gateways = [...load.gateways, await environment.startGateway(settings)];
    // Both settings are in use meanwhile.
    await phase();
  }
}

/** Kills rotations at random moments after they have begun. Returns the number of rotations that had not ended by then. */
async function interruptRotations(settings, kills, random) {
  let interrupted = 0;
  for (let i = 0; i < kills; i++) {
    let isKilling = false;
    const { code } = await runPostern(['secrets', 'rotate'], settings, (_output, child) => {
      if (isKilling) return;
      isKilling = true;
      setTimeout(() => child.kill('SIGKILL'), random() * 30);
    });
    if (code === null) interrupted += 1;
  }
  return interrupted;
}

async function rotate(settings, faults) {
  const { code, out, err } = await runPostern(['secrets', 'rotate', '--json'], settings);
  if (code === 0) return JSON.parse(out);
  faults.push(`postern secrets rotate ended with ${code}: ${err}`);
  return { checked: 0, rotated: 0 };
}

/** Returns the ids of the keys with which the secrets of webhooks and pollers are encrypted. */
async function keyIds({ DATA_DIR, MONGODB_URL }) {
  const texts = MONGODB_URL ? await sealedInMongo(MONGODB_URL) : sealedInSqlite(join(DATA_DIR, 'postern.sqlite'));
  return new Set(texts.filter((text) => text).map((text) => text.split('.')[1]));
}

function sealedInSqlite(path) {
  const database = new Libsql(path);
  try {
    const sql = 'SELECT url, sealed FROM webhook UNION ALL SELECT sealed, unreachable FROM poller';
    return database.prepare(sql).raw().all().flat();
  } finally {
    database.close();
  }
}

async function sealedInMongo(url) {
  const client = new MongoClient(url);
  try {
    const webhooks = await client.db().collection('webhooks').find().toArray();
    const pollers = await client.db().collection('pollers').find().toArray();
    return [...webhooks, ...pollers].flatMap((item) => [item.url, item.sealed, item.unreachable]).filter(isSealed);
  } finally {
    await client.close();
  }
}

function isSealed(text) {
  return typeof text === 'string' && text.startsWith('v1.');
}

/** Every webhook that was not deleted is there, with its address. */
async function judgeWebhooks(load) {
  const faults = [];
  for (const { account, id, url, deleteSentAt } of load.webhooks) {
    if (deleteSentAt !== undefined) continue;
    const { data } = await load.send(account, 'GET', `/webhooks/${id}`, undefined, { expected: [200, 404, 500] });
    if (data?.url !== url) faults.push(`the webhook ${url} has the address ${data?.url}`);
  }
  return faults;
}

/** Responses that were stored with the new key are replayed. The others are replayed, or refused without performing the write. */
async function judgeStoredResponses(load, newKeyFrom) {
  const faults = [];
  const sample = load.writes.filter((_write, index) => index % Math.ceil(load.writes.length / 200) === 0);
  for (const write of sample) {
    const { status, replayed } = await load.sendWrite(write, { expected: [200, 409] });
    if (status === 200 && !replayed) faults.push(`${write.key} was performed again`);
    if (status === 409 && write.sentAt > newKeyFrom) faults.push(`the response of ${write.key} cannot be read`);
  }
  return faults;
}
