// Loaded before a gateway (`--import`) to shift its clock by CLOCK_SHIFT_MS. Timers and performance.now are not shifted, as on a machine
// whose clock is wrong from the start.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const trueNow = Date.now;

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length > 0 ? args : [Date.now()], newTarget),
  apply: (target) => new target(Date.now()).toString(),
});
Date.now = () => trueNow() + shiftMs;
