import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { MongoClient } from 'mongodb';
import { numbersFor } from '../bench/random.js';
import { createAccount, newSecretKey, runPostern } from './environment.js';
import { Load } from './load.js';
import { startReceiver } from './receiver.js';

const credit = 1_000;
const fillMs = 1_500;
const sectorBytes = 512;
const pageBytes = 4_096;

/** Damages backups and stores in random ways. Returns what the commands did with them, and the violations. */
export async function checkDamage(environment, { seed, callers, damages }) {
  const faults = [];
  const random = numbersFor(seed, 'damage');
  const settings = await fillStore(environment, { seed, callers });
  const folder = join(environment.folder, `damage-${seed}`);
  const made = await runPostern(['backup', folder], settings);
  if (made.code !== 0) throw new Error(`postern backup ended with ${made.code}: ${made.err}`);
  const backups = await damageBackups(environment, { folder, settings, damages, random, faults });
  await useWrongKey(environment, { folder, settings, faults });
  const stores =
    environment.kind === 'sqlite'
      ? await damageSqlite(environment, { settings, damages, random, faults })
      : await damageMongo(settings, faults);
  return { faults, backups, stores };
}

/** Returns the settings of a store with accounts, webhooks, events and stored responses. */
async function fillStore(environment, { seed, callers }) {
  const receiver = await startReceiver();
  const settings = environment.emptyStore();
  const accounts = {};
  for (const name of ['writes', 'reads', 'webhooks']) accounts[name] = await createAccount(name, credit, settings);
  const load = new Load({ seed: `${seed}-damage`, callers, sandboxUrl: environment.sandboxUrl, receiver, accounts });
  const gateway = await environment.startGateway(settings);
  load.gateways = [gateway];
  await load.prepare();
  load.start();
  await sleep(fillMs);
  await load.stop();
  await environment.stopGateway(gateway);
  receiver.stop();
  if (load.failures.length > 0) throw new Error(load.failures[0]);
  return settings;
}

/** Every damaged backup is refused, and its restore leaves an empty store. */
async function damageBackups(environment, { folder, settings, damages, random, faults }) {
  const empty = environment.emptyStore(settings.SECRET_KEY);
  const outcomes = { damages, refused: 0, harmless: 0 };
  for (let i = 0; i < damages; i++) {
    const copy = `${folder}-copy`;
    cpSync(folder, copy, { recursive: true });
    const [name, damage] = pick(random, backupDamages);
    const files = readdirSync(copy);
    const file = join(copy, pick(random, files));
    damage(file, random);
    const same = file.endsWith('manifest.json') && isSameJson(file, join(folder, 'manifest.json'));
    const { code, err } = await runPostern(
      ['restore', copy],
      same ? environment.emptyStore(settings.SECRET_KEY) : empty,
    );
    const isClear = /^postern: (The backup is damaged: |\S+ is not a backup: )[^\n]+\n$/m.test(err);
    if (code === 1 && isClear) outcomes.refused += 1;
    else if (same) outcomes.harmless += 1;
    else faults.push(`a backup whose ${file} was ${name}: ${code}, ${err}`);
    rmSync(copy, { recursive: true });
  }
  const { code, err } = await runPostern(['restore', folder], empty);
  if (code !== 0) faults.push(`a refused restore has written into the store: ${err}`);
  return outcomes;
}

const backupDamages = [
  ['changed in one byte', flipByte],
  ['changed in one bit', flipBit],
  ['overwritten in a sector', overwriteSector],
  ['truncated', truncate],
  ['extended', (file) => appendFileSync(file, '\n ')],
  ['deleted', (file) => rmSync(file)],
];

/** Damages of a disk. SQLite has no checksums, so a changed byte in a value is found by Postern's own checks only. */
const storeDamages = [
  ['overwritten in a sector', overwriteSector],
  ['overwritten in a page', zeroPage],
  ['truncated', truncate],
  ['changed in one bit', flipBit],
];

/** A restore and a start with another key are refused. */
async function useWrongKey(environment, { folder, settings, faults }) {
  const restored = await runPostern(['restore', folder], environment.emptyStore(newSecretKey()));
  if (restored.code !== 1 || !restored.err.includes('SECRET_KEY')) {
    faults.push(`a restore with another key ended with ${restored.code}: ${restored.err}`);
  }
  const started = await environment.refusedGateway({ ...settings, SECRET_KEY: newSecretKey() });
  if (started.code !== 1 || !/SECRET_KEY cannot decrypt what the store holds/.test(started.err)) {
    faults.push(`a start with another key ended with ${started.code}: ${started.err}`);
  }
}

/** A command refuses a damaged file with a message, or its content is the same as before. */
async function damageSqlite(environment, { settings, damages, random, faults }) {
  const original = join(settings.DATA_DIR, 'postern.sqlite');
  const content = contentOf(original);
  const outcomes = { damages, refused: 0, harmless: 0, encrypted: 0, backupRefused: 0, undetected: [] };
  for (let i = 0; i < damages; i++) {
    const DATA_DIR = join(environment.folder, `damaged-${i}`);
    mkdirSync(DATA_DIR, { mode: 0o700 });
    const file = join(DATA_DIR, 'postern.sqlite');
    cpSync(original, file);
    const [name, damage] = pick(random, storeDamages);
    damage(file, random);
    const { code, err } = await runPostern(['account', 'list'], { ...settings, DATA_DIR });
    if (code === 1 && /^postern: [^\n]*\n$/.test(err)) outcomes.refused += 1;
    else if (code !== 0) faults.push(`a store that was ${name}: ${code}, ${err}`);
    else {
      const changed = changedColumns(content, contentOf(file));
      if (changed.length === 0) outcomes.harmless += 1;
      // A changed text cannot be decrypted.
      else if (changed.every((column) => encrypted.has(column))) outcomes.encrypted += 1;
      else {
        const { code: backupCode } = await runPostern(['backup', join(DATA_DIR, 'backup')], { ...settings, DATA_DIR });
        if (backupCode === 1) outcomes.backupRefused += 1;
        else outcomes.undetected.push(`${name}: ${changed.join(', ')}`);
      }
    }
    rmSync(DATA_DIR, { recursive: true });
  }
  return outcomes;
}

const encrypted = new Set([
  ...['webhook.url', 'webhook.sealed', 'poller.sealed', 'poller.unreachable', 'event.sealed'],
  ...['delivery.log', 'idempotency.answer', 'platform_state.sealed'],
]);

/** Returns the values of each column as a text. A column that cannot be read has the error instead. */
function contentOf(file) {
  const database = new Libsql(file);
  const all = (sql) => database.prepare(sql).raw().all().flat();
  try {
    const columns = all(
      `SELECT m.name || '.' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'`,
    );
    return new Map(columns.map((column) => [column, valuesOf(all, column)]));
  } catch (error) {
    return new Map([['sqlite_master', error.message]]);
  } finally {
    database.close();
  }
}

function valuesOf(all, column) {
  const [table, name] = column.split('.');
  try {
    // Not the text itself, because libsql ends the process when it reads a text that is not UTF-8.
    return all(`SELECT typeof(${name}) || hex(${name}) FROM ${table}`).sort().join('\n');
  } catch (error) {
    return error.message;
  }
}

function changedColumns(before, after) {
  return [...new Set([...before.keys(), ...after.keys()])].filter((column) => before.get(column) !== after.get(column));
}

/** The server of MongoDB checks its own files. Postern checks the sums of money when it makes a backup. */
async function damageMongo(settings, faults) {
  const client = new MongoClient(settings.MONGODB_URL);
  const outcomes = { damages: 0, refused: 0 };
  try {
    const db = client.db();
    const { _id } = await db.collection('accounts').findOne({ charged: { $gt: 0 } });
    const changes = [
      ['accounts', { _id }, 'avail'],
      ['accounts', { _id }, 'paid'],
      ['usage', { account: _id }, 'micros'],
      ['payments', { account: _id }, 'micros'],
    ];
    for (const [collection, filter, field] of changes) {
      await db.collection(collection).updateOne(filter, { $inc: { [field]: 1 } });
      outcomes.damages += 1;
      const { code, err } = await runPostern(['backup', join(settings.DATA_DIR, `of-${field}`)], settings);
      if (code === 1 && err.includes('does not add up')) outcomes.refused += 1;
      else faults.push(`a backup of ${collection} with a wrong ${field} ended with ${code}: ${err}`);
      await db.collection(collection).updateOne(filter, { $inc: { [field]: -1 } });
    }
  } finally {
    await client.close();
  }
  return outcomes;
}

function flipByte(file, random) {
  change(file, random, 1, (bytes) => {
    bytes[0] ^= 1 + Math.floor(random() * 255);
  });
}

function flipBit(file, random) {
  change(file, random, 1, (bytes) => {
    bytes[0] ^= 1 << Math.floor(random() * 8);
  });
}

function overwriteSector(file, random) {
  change(file, random, sectorBytes, (bytes) => {
    for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(random() * 256);
  });
}

function zeroPage(file, random) {
  change(file, random, pageBytes, (bytes) => bytes.fill(0));
}

/** Changes a block at a random place. */
function change(file, random, blockBytes, edit) {
  const content = readFileSync(file);
  const at = Math.floor((random() * content.length) / blockBytes) * blockBytes;
  edit(content.subarray(at, at + blockBytes));
  writeFileSync(file, content);
}

function truncate(file, random) {
  truncateSync(file, Math.floor(random() * statSync(file).size));
}

function isSameJson(file, original) {
  try {
    const [one, other] = [file, original].map((path) => JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))));
    return one === other;
  } catch {
    return false;
  }
}

function pick(random, items) {
  return items[Math.floor(random() * items.length)];
}
