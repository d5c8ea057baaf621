import type { Socket } from 'node:net';

/** The time in milliseconds that responses may take in one phase of the event loop. */
const turnMs = 5;

/**
 * A turn that takes longer than this many milliseconds, usually with TLS handshakes, is followed by a pause of the same
 * length. Handshakes are free of charge, and without pauses they could use all processor time.
 */
const longTurnMs = 20;
/** The maximum pause in milliseconds. A turn also seems long if the whole process was suspended. */
const longestPauseMs = 200;

/** The time at which the first response of this turn was read; `null` if none was read. */
let turnBeganAt: number | null = null;
let isScheduled = false;
/** The time until which nothing is read after a long turn. */
let pausedUntil = 0;
/** Sockets with data that waits for a later turn, in their order. */
const waiting: Socket[] = [];
/** The waiting socket that may be read now. */
let next: Socket | null = null;

/**
 * Returns true if a part of the socket's data may be parsed in this turn of the event loop. Otherwise emits `readable` in a later turn. Many
 * responses may arrive together, and each can take milliseconds: thousands of headers or chunks. Waiting sockets are served round-robin, one
 * part each.
 */
export function mayParse(socket: Socket): boolean {
  if (next === socket) {
    next = null;
    return true;
  }
  const now = performance.now();
  const hasTime = waiting.length === 0 && now >= pausedUntil && now - (turnBeganAt ?? now) < turnMs;
  // A socket that waits during a pause begins no turn, or the pause would count as a long turn and be repeated.
  if (hasTime) turnBeganAt ??= now;
  else waiting.push(socket);
  schedule();
  return hasTime;
}

function schedule(pauseMs = 0): void {
  if (isScheduled) return;
  isScheduled = true;
  if (pauseMs > 0) setTimeout(serveWaiting, pauseMs);
  else setImmediate(serveWaiting);
}

function serveWaiting(): void {
  isScheduled = false;
  const now = performance.now();
  const tookMs = turnBeganAt === null ? 0 : now - turnBeganAt;
  if (tookMs > longTurnMs) pausedUntil = now + Math.min(tookMs, longestPauseMs);
  if (waiting.length === 0 || now < pausedUntil) {
    turnBeganAt = null;
    if (waiting.length > 0) schedule(pausedUntil - now);
    return;
  }
  // A socket with more data is added again, at the end.
  turnBeganAt = Number.NEGATIVE_INFINITY;
  while (waiting.length > 0 && performance.now() < now + turnMs) {
    next = waiting.shift() ?? null;
    next?.emit('readable');
  }
  next = null;
  // Work that follows before the next turn counts towards this one.
  turnBeganAt = now;
  schedule();
}
