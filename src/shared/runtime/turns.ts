/** How long requests may keep one turn of the event loop. Requests that arrive later in that turn wait for the next one. */
const turnMs = 10;

/** When the first task of the current turn began; `null` if none has. */
let turnBeganAt: number | null = null;

/**
 * Runs a task now, or in a later turn of the event loop if this turn has taken long already. Requests that arrive together are
 * all parsed in one turn: without this, a hundred small ones would keep the event loop for a hundred times their time.
 */
export function runInTurn(task: () => void): void {
  if (turnHasTime()) task();
  else setImmediate(() => runInTurn(task));
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

/** How many of the tasks that become ready together run before the turn is looked at again. */
const groupSize = 8;
const ready: (() => void)[] = [];
/** Tasks of the current group that ran; `null` if no group is under way. */
let groupRan: number | null = null;

/**
 * Runs tasks that become ready together, such as the callers of one commit, in their order, in groups and in turns of the event
 * loop. A group runs after the promises that the group before it has settled, because the work of a caller is in what follows
 * its promise.
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

/** A tick that is asked for by a microtask comes after all microtasks. */
function afterPromises(task: () => void): void {
  queueMicrotask(() => process.nextTick(task));
}
