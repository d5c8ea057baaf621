// A child process that makes calls of another account during an attack. The work of the attacker's process does not delay them.
import { setTimeout as sleep } from 'node:timers/promises';

export interface OtherCalls {
  url: string;
  headers: Record<string, string>;
  method: 'GET' | 'POST';
  path: string;
  /** `#` stands for the number of the call. */
  body?: string;
}

export interface OtherFigures {
  otherMs: number;
  refused: number;
}

const figures: OtherFigures = { otherMs: 0, refused: 0 };
let calls: OtherCalls | null = null;
let beganAt = 0;
let number = 0;

process.once('disconnect', () => process.exit());
/** A message with calls begins a new measurement. `end` ends it after the running call. */
process.on('message', (order: OtherCalls | 'end') => {
  const isFirst = calls === null;
  calls = order === 'end' ? null : order;
  if (calls === null) return;
  beganAt = performance.now();
  Object.assign(figures, { otherMs: 0, refused: 0 });
  if (isFirst) void run();
});

async function run(): Promise<void> {
  while (calls !== null) {
    const { url, path, method, headers, body } = calls;
    const sentAt = performance.now();
    const text = body?.replace('#', String(number++)) ?? null;
    const response = await fetch(`${url}${path}`, { method, headers, body: text }).catch(() => null);
    await response?.arrayBuffer().catch(() => null);
    figures.otherMs = Math.max(figures.otherMs, performance.now() - Math.max(sentAt, beganAt));
    if (response?.status !== 200) figures.refused++;
    await sleep(50);
  }
  process.send?.(figures);
}
