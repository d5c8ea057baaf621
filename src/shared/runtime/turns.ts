/** How long requests may keep one turn of the event loop. Requests that arrive later in that turn wait for the next one. */
const turnMs = 10;

/** When the first task of the current turn began; `null` if none has. */
let turnBeganAt: number | null = null;

/**
 * Runs a task now, or in a later turn of the event loop if this turn has taken long already. Requests that arrive together are
 * all parsed in one turn: without this, a hundred small ones would keep the event loop for a hundred times their time.
 */
export function runInTurn(task: () => void): void {
  const now = performance.now();
  if (turnBeganAt === null) {
    turnBeganAt = now;
    setImmediate(() => {
      turnBeganAt = null;
    });
  } else if (now - turnBeganAt > turnMs) {
    setImmediate(() => runInTurn(task));
    return;
  }
  task();
}

/** Resolves when `runInTurn` would run a task. */
export function turn(): Promise<void> {
  return new Promise(runInTurn);
}

const oneByOne: (() => void)[] = [];
let isRunning = false;

/**
 * Runs tasks that become ready together, such as the callers of one commit, in their order and in turns of the event loop. Each
 * runs after the promises that the task before it has settled, because the work of a caller is in what follows its promise.
 */
export function runOneByOne(task: () => void): void {
  oneByOne.push(task);
  if (isRunning) return;
  isRunning = true;
  runNext();
}

function runNext(): void {
  const task = oneByOne.shift();
  if (!task) {
    isRunning = false;
    return;
  }
  runInTurn(() => {
    task();
    // Microtasks run before the next tick only if that is asked for by a microtask.
    queueMicrotask(() => process.nextTick(runNext));
  });
}
