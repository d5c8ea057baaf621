#!/usr/bin/env node
// Writes the followers of a user to a CSV file, and continues where it was stopped:
// node docs/examples/export-followers.js USER [FILE]
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { Postern } from 'postern/client';

const { POSTERN_URL: baseUrl = '', POSTERN_API_KEY: apiKey = '', POSTERN_AUTH_TOKEN: authToken = '' } = process.env;
const [userName, file = `${userName}-followers.csv`] = process.argv.slice(2);
if (!userName) throw new Error('usage: export-followers.js USER [FILE]');
if (existsSync(file)) throw new Error(`${file} exists already: delete it, or name another file`);

/** The rows so far. The file gets its final name when it is complete. */
const partFile = `${file}.part`;
const stateFile = `${file}.state`;

/** @typedef {{ userName: string, cursor: string | null, bytes: number, rows: number }} State the next page, and what belongs to the pages before it */

const columns = /** @type {const} */ (['id', 'userName', 'name', 'description', 'followers', 'following', 'createdAt']);

/** Returns a field of CSV (RFC 4180). @param {unknown} value */
function field(value) {
  const text = String(value ?? '');
  // A spreadsheet would run text that begins like a formula.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param {readonly unknown[]} values */
const row = (values) => `${values.map(field).join(',')}\r\n`;

/** Saves the state atomically, so that a crash leaves the old or the new one. @param {State} state */
function save(state) {
  writeFileSync(`${stateFile}.new`, JSON.stringify(state), { flush: true });
  renameSync(`${stateFile}.new`, stateFile);
}

/** @returns {State} */
function load() {
  if (!existsSync(stateFile)) return { userName: `${userName}`, cursor: null, bytes: 0, rows: 0 };
  const state = /** @type {State} */ (JSON.parse(readFileSync(stateFile, 'utf8')));
  if (state.userName === userName) return state;
  throw new Error(`${stateFile} belongs to an export of ${state.userName}: delete it, or name another file`);
}

const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
const state = load();
if (state.cursor !== null) say(`continuing after ${state.rows} followers`);
save(state);

const output = openSync(partFile, existsSync(partFile) ? 'r+' : 'w');
// A crash may have left rows of a page whose state was not saved. That page is read again.
ftruncateSync(output, state.bytes);
const write = (/** @type {string} */ text) => {
  state.bytes += writeSync(output, text, state.bytes);
};

const postern = new Postern({ baseUrl, apiKey, authToken });
const start = state.cursor === null ? {} : { cursor: state.cursor };
if (state.bytes === 0) write(row(columns));
for await (const page of postern.user.followers({ userName, count: 100, ...start }).pages()) {
  for (const follower of page.followers) write(row(columns.map((column) => follower[column])));
  fsyncSync(output);
  state.rows += page.followers.length;
  state.cursor = page.next_cursor;
  if (state.cursor !== null) save(state);
  say(`${state.rows} followers`);
}
closeSync(output);
renameSync(partFile, file);
rmSync(stateFile);
say(`${file} is complete`);
