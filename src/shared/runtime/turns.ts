import { AsyncResource } from 'node:async_hooks';

/** The maximum time in milliseconds that requests may use in one turn of the event loop. Later requests wait for the next turn. */
const turnMs = 10;

/** The time at which the first task of the current turn began; `null` if no task has begun. */
let turnBeganAt: number | null = null;

/** The tasks that wait for a turn. */
const waiting: (() => void)[] = [];

/**
 * Runs a task now, or in a later turn of the event loop if this turn has already taken longer than `turnMs` or other
 * tasks wait. Otherwise a hundred small tasks that become ready together would block the event loop for the sum of their
 * times.
 */
export function runInTurn(task: () => void): void {
  if (mayRun()) {
    task();
    return;
  }
  const scope = new AsyncResource('Turn');
  waiting.push(() => scope.runInAsyncScope(task));
  if (waiting.length === 1) setImmediate(runWaiting);
}

/** Returns true if `runInTurn` would run a task now. */
export function mayRun(): boolean {
  return waiting.length === 0 && turnHasTime();
}

/** Runs the first waiting task, and the others after the promises that it settles. */
function runWaiting(): void {
  if (!turnHasTime()) {
    setImmediate(runWaiting);
    return;
  }
  // The first task stays in the array while it runs, so that tasks which it adds do not start a second chain.
  try {
    waiting[0]?.();
  } finally {
    waiting.shift();
    if (waiting.length > 0) afterPromises(runWaiting);
  }
}

function turnHasTime(): boolean {
  const now = performance.now();
  if (turnBeganAt !== null) return now - turnBeganAt <= turnMs;
  turnBeganAt = now;
  setImmediate(() => {
    turnBeganAt = null;
  });
  return true;
}

/** Resolves when `runInTurn` would run a task. */
export function turn(): Promise<void> {
  return new Promise(runInTurn);
}

/** The number of tasks that run before the duration of the turn is checked again. */
const groupSize = 8;
const ready: (() => void)[] = [];
/** The number of tasks of the current group that have run; `null` if there is no current group. */
let groupRan: number | null = null;

/**
 * Runs tasks that become ready together, such as the callers of one commit, in order and in groups of `groupSize`. After each group all
 * promises settle, because callers do their work there, and then the duration of the turn is checked.
 */
export function runInGroups(task: () => void): void {
  if (groupRan === null) {
    groupRan = turnHasTime() ? 0 : groupSize;
    afterPromises(runGroup);
  }
  if (ready.length > 0 || groupRan >= groupSize) {
    ready.push(task);
    return;
  }
  groupRan += 1;
  task();
}

function runGroup(): void {
  if (ready.length === 0) {
    groupRan = null;
    return;
  }
  runInTurn(() => {
    const group = ready.splice(0, groupSize);
    groupRan = groupSize;
    afterPromises(runGroup);
    for (const task of group) task();
  });
}

/** Runs the task after all pending microtasks. A tick that is requested by a microtask runs after the microtask queue is empty. */
function afterPromises(task: () => void): void {
  queueMicrotask(() => process.nextTick(task));
}
