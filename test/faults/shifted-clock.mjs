// Loaded before a gateway (`--import`): its clock is CLOCK_SHIFT_MS off. What counts from a start (timers,
// performance.now) is right, as on a machine whose clock was never set.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const trueNow = Date.now;

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length > 0 ? args : [Date.now()], newTarget),
  apply: (target) => new target(Date.now()).toString(),
});
Date.now = () => trueNow() + shiftMs;
