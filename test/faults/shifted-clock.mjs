// Loaded before a gateway (`--import`), in each of its threads. Shifts the clock by the milliseconds in the file CLOCK_SHIFT_FILE, which may
// change while the gateway runs. Timers and performance.now are not shifted, as on a machine whose clock is set.
import { readFileSync } from 'node:fs';

const refreshMs = 20;
const trueNow = Date.now;
let shiftMs = 0;
let readAt = Number.NEGATIVE_INFINITY;

function readShift() {
  if (performance.now() - readAt < refreshMs) return shiftMs;
  readAt = performance.now();
  try {
    shiftMs = Number(readFileSync(process.env.CLOCK_SHIFT_FILE, 'utf8'));
  } catch {
    // The file is made with the first shift.
  }
  return shiftMs;
}

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length > 0 ? args : [Date.now()], newTarget),
  apply: (target) => new target(Date.now()).toString(),
});
Date.now = () => trueNow() + readShift();
