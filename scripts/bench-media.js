#!/usr/bin/env node
// Measures uploads and downloads of media: the growth of the process's memory and the throughput.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments, recordResults } from './bench/frame.js';
import { start, stopAll, temporaryFolder } from './bench/processes.js';

const values = readArguments(
  `npm run bench:media -- [--size 200] [--atOnce 20] [--embedded]

Uploads a video of --size MiB by its address, then --atOnce videos of 20 MiB at the same time, then the first video again. Prints for
each step the largest growth of the gateway's resident memory (Linux only) and MiB a second. The sandbox runs in a process of its own,
or with --embedded inside the gateway, whose memory then includes the sandbox.
Exits with 1 if the goal (40 MiB for one video) is missed.`,
  {
    size: { type: 'string', default: '200' },
    atOnce: { type: 'string', default: '20' },
    embedded: { type: 'boolean' },
  },
);
const goalMiB = 40;
const MiB = 1024 * 1024;

const production = { NODE_ENV: 'production' };
const dataDir = temporaryFolder();
const sandbox = await start('postern.js', ['sandbox'], {
  ...production,
  DATA_DIR: temporaryFolder(),
  SANDBOX_PORT: '0',
  SANDBOX_ACTIVITY: '0',
});
const films = await start('bench/film-server.js', [], production);
const postern = await start('postern.js', ['serve'], {
  ...production,
  DATA_DIR: dataDir,
  PORT: '0',
  SANDBOX_PORT: '0',
  SANDBOX_ACTIVITY: '0',
  ...(!values.embedded && { PLATFORM_URL: sandbox.url, PLATFORM_KIND: 'sandbox' }),
  LOG_LEVEL: 'warn',
  OUTBOUND_ALLOW: '127.0.0.0/8',
});
const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));

// A small file is sent first, so that the memory of lazily loaded code is not counted.
await upload(1);
const one = await measured(() => upload(Number(values.size)));
const many = await measured(() => Promise.all(Array.from({ length: Number(values.atOnce) }, () => upload(20))));
const again = await measured(() => upload(Number(values.size)));
report(`one video of ${values.size} MiB`, one, Number(values.size));
report(`${values.atOnce} videos of 20 MiB at once`, many, 20 * Number(values.atOnce));
report(`one of ${values.size} MiB again`, again, Number(values.size));
recordResults({
  metrics: [
    {
      id: 'media.one',
      label: `video of ${values.size} MiB: memory grows by`,
      value: one.grownMiB,
      unit: 'MiB',
      better: 'lower',
    },
    {
      id: 'media.many',
      label: `${values.atOnce} videos of 20 MiB: memory grows by`,
      value: many.grownMiB,
      unit: 'MiB',
      better: 'lower',
    },
    {
      id: 'media.speed',
      label: `video of ${values.size} MiB: speed`,
      value: Number(values.size) / again.seconds,
      unit: 'MiB/s',
      better: 'higher',
    },
  ],
});
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
  try {
    await run();
  } finally {
    clearInterval(sampling);
  }
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    beforeMiB: before,
    grownMiB: Math.max(most, resident()) - before,
  };
}

/** Returns the resident memory in MiB. */
function resident() {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${postern.child.pid}/status`, 'utf8'));
  return Number(kilobytes) / 1024;
}

function report(what, { seconds, beforeMiB, grownMiB }, size) {
  const figures = `${(size / seconds).toFixed(0)} MiB/s, memory ${beforeMiB.toFixed(0)} MiB grew by ${grownMiB.toFixed(1)}`;
  process.stdout.write(`${what}: ${figures}\n`);
}
