import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { mayParse } from '../../src/outbound/parsing-turns.ts';

/** The time in milliseconds that handshakes have taken. Timers do not advance meanwhile, as in a blocked event loop. */
let workedMs = 0;
const work = (ms: number) => {
  workedMs += ms;
};

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'setInterval', 'clearInterval', 'setImmediate'] });
  const beganMs = performance.now() - Date.now();
  vi.spyOn(performance, 'now').mockImplementation(() => beganMs + Date.now() + workedMs);
});
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Reports data on a new socket, and calls `handle` when it may be parsed. */
function arrive(handle: () => void): void {
  const socket = new EventEmitter() as Socket;
  socket.on('readable', () => {
    if (mayParse(socket)) handle();
  });
  socket.emit('readable');
}

test('mayParse: lets timers run between long handshakes that arrive together', async () => {
  const order: string[] = [];
  const timer = setInterval(() => order.push('timer'), 1);
  for (const name of ['first', 'second', 'third']) {
    arrive(() => {
      work(30);
      order.push(name);
    });
  }
  await vi.advanceTimersByTimeAsync(200);
  clearInterval(timer);
  const withoutRepetitions = order.filter((name, at) => name !== order[at - 1]);
  expect(withoutRepetitions.join(' ')).toBe('first timer second timer third timer');
});

test('mayParse: pauses after a long handshake for as long as it took', async () => {
  const began: number[] = [];
  for (let i = 0; i < 3; i++) {
    arrive(() => {
      began.push(performance.now());
      work(30);
    });
  }
  await vi.advanceTimersByTimeAsync(200);
  const [first = 0, second = 0, third = 0] = began;
  expect(Math.min(second - first, third - second)).toBeGreaterThan(59);
});

test('mayParse: does not prolong a pause when more sockets arrive during it', async () => {
  const order: string[] = [];
  const record = (name: string) => () => order.push(name);
  arrive(() => {
    order.push('long handshake');
    work(100);
    setTimeout(() => arrive(record('arrives in the pause')), 10);
    // The pause ends after 100 ms.
    setTimeout(record('later timer'), 160);
  });
  arrive(record('waits'));
  await vi.advanceTimersByTimeAsync(400);
  expect(order).toEqual(['long handshake', 'waits', 'arrives in the pause', 'later timer']);
});
