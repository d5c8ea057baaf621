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
