// Measures the speed of a processor core. Other machines on the same host can change it by a third within minutes.
import { fork } from 'node:child_process';
import { pin } from './pin.js';

const workMs = 300;
const page = JSON.stringify(
  Array.from({ length: 20 }, (_, index) => ({
    id: String(index),
    text: 'A short text, as long as most tweets are. '.repeat(3),
    author: { id: '1', name: 'Grace', verified: false },
    counts: [index, 2 * index, 3 * index],
  })),
);

/** Starts a process on a core. `measure` resolves with the number of rounds of a fixed task per millisecond of processor time. */
export function speedOfCore(core) {
  const child = fork(import.meta.filename);
  pin(child.pid, core);
  const ended = new Promise((_, reject) => {
    child.once('exit', () => reject(new Error('the process that measures the speed of the core ended')));
  });
  // It is an error only while `measure` waits.
  ended.catch(() => {});
  return {
    measure: () => {
      const measured = new Promise((resolve) => child.once('message', resolve));
      child.send('measure');
      return Promise.race([measured, ended]);
    },
    stop: () => child.disconnect(),
  };
}

if (process.argv[1] === import.meta.filename) process.on('message', () => process.send(roundsPerMs()));

function roundsPerMs() {
  const before = process.cpuUsage();
  const endsAt = performance.now() + workMs;
  let rounds = 0;
  for (; performance.now() < endsAt; rounds++) JSON.stringify(JSON.parse(page));
  const { user, system } = process.cpuUsage(before);
  return (rounds * 1_000) / (user + system);
}
