import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { mayParse } from '../../src/outbound/parsing-turns.ts';

function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('mayParse: lets timers run between long handshakes that arrive together', async () => {
  const order: string[] = [];
  const timer = setInterval(() => order.push('timer'), 1);
  const sockets = ['first', 'second', 'third'].map((name) => {
    const socket = new EventEmitter() as Socket;
    return socket.on('readable', () => {
      if (!mayParse(socket)) return;
      work(30);
      order.push(name);
    });
  });
  for (const socket of sockets) socket.emit('readable');
  await expect.poll(() => order).toContain('third');
  clearInterval(timer);
  const withoutRepetitions = order.filter((name, at) => name !== order[at - 1]);
  expect(withoutRepetitions.join(' ')).toMatch(/first timer second timer third/);
});

test('mayParse: pauses after a long handshake for as long as it took', async () => {
  const began: number[] = [];
  for (let i = 0; i < 3; i++) {
    const socket = new EventEmitter() as Socket;
    socket.on('readable', () => {
      if (!mayParse(socket)) return;
      began.push(performance.now());
      work(30);
    });
    socket.emit('readable');
  }
  await expect.poll(() => began).toHaveLength(3);
  const [first = 0, second = 0, third = 0] = began;
  expect(Math.min(second - first, third - second)).toBeGreaterThan(55);
});

test('mayParse: does not prolong a pause when more sockets arrive during it', async () => {
  const order: string[] = [];
  const arrive = (name: string, handle: () => void = () => {}) => {
    const socket = new EventEmitter() as Socket;
    socket.on('readable', () => {
      if (!mayParse(socket)) return;
      order.push(name);
      handle();
    });
    socket.emit('readable');
  };
  arrive('long handshake', () => {
    work(100);
    setTimeout(() => arrive('arrives in the pause'), 10);
    // The pause ends after 100 ms.
    setTimeout(() => order.push('later timer'), 160);
  });
  arrive('waits');
  await expect.poll(() => order).toHaveLength(4);
  expect(order).toEqual(['long handshake', 'waits', 'arrives in the pause', 'later timer']);
});
