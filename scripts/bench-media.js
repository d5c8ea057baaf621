#!/usr/bin/env node
// What taking media in costs: the memory that the process grows by, and how fast bytes go through it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { start, stopAll, temporaryFolder } from './bench/processes.js';

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '200' },
    atOnce: { type: 'string', default: '20' },
    embedded: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  process.stdout.write(`Usage: npm run bench:media -- [--size 200] [--atOnce 20] [--embedded]

A video of so many MiB is uploaded by its address, through a gateway with the sandbox in a process of its own (or inside
it, whose memory counts then): how much the gateway's memory (resident, Linux only) grows at most, and MiB a second. Then as many of 20 MiB at once, and again by itself.
Exits with 1 where the goal (40 MiB for one video) is missed.\n`);
  process.exit();
}
const goalMiB = 40;
const MiB = 1024 * 1024;

const production = { NODE_ENV: 'production' };
const dataDir = temporaryFolder();
const sandbox = await start('postern.js', ['sandbox'], {
  ...{ ...production, DATA_DIR: temporaryFolder(), SANDBOX_PORT: '0', SANDBOX_ACTIVITY: '0' },
});
const films = await start('bench/film-server.js', [], production);
const postern = await start('postern.js', ['serve'], {
  ...{ ...production, DATA_DIR: dataDir, PORT: '0', SANDBOX_PORT: '0', SANDBOX_ACTIVITY: '0' },
  ...(!values.embedded && { PLATFORM_URL: sandbox.url, PLATFORM_KIND: 'sandbox' }),
  ...{ LOG_LEVEL: 'warn', OUTBOUND_ALLOW: '127.0.0.0/8' },
});
const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));

// A small one first, so that what is loaded once does not count.
await upload(1);
const one = await measured(() => upload(Number(values.size)));
const many = await measured(() => Promise.all(Array.from({ length: Number(values.atOnce) }, () => upload(20))));
const again = await measured(() => upload(Number(values.size)));
report(`one video of ${values.size} MiB`, one, Number(values.size));
report(`${values.atOnce} videos of 20 MiB at once`, many, 20 * Number(values.atOnce));
report(`one of ${values.size} MiB again`, again, Number(values.size));
await stopAll();
if (one.grownMiB > goalMiB) process.exitCode = 1;

async function upload(size) {
  const response = await fetch(`${demo.baseUrl}/media/upload`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${demo.apiKey}`,
      'content-type': 'application/json',
      'x-auth-token': demo.accounts[0].authToken,
    },
    body: JSON.stringify({ media_url: `${films.url}/${size}.mp4` }),
  });
  const { data, error } = await response.json();
  if (error !== null || data.size < size * MiB) throw new Error(`not taken: ${error}`);
}

async function measured(run) {
  const before = resident();
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, resident());
  }, 10);
  const startedAt = performance.now();
  await run();
  clearInterval(sampling);
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    beforeMiB: before,
    grownMiB: Math.max(most, resident()) - before,
  };
}

/** MiB in memory. */
function resident() {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${postern.child.pid}/status`, 'utf8'));
  return Number(kilobytes) / 1024;
}

function report(what, { seconds, beforeMiB, grownMiB }, size) {
  const figures = `${(size / seconds).toFixed(0)} MiB/s, memory ${beforeMiB.toFixed(0)} MiB grew by ${grownMiB.toFixed(1)}`;
  process.stdout.write(`${what}: ${figures}\n`);
}
