import { describe, expect, test } from 'vitest';
import { ConnectionLimiter } from '../../src/outbound/connection-limiter.ts';

interface Entry {
  name: string;
  leave: () => void;
}

/** Notes who began and who was refused, in order. */
function world(perHost: number, total: number) {
  const limiter = new ConnectionLimiter({ perHost, total });
  const begun: Entry[] = [];
  const refused: string[] = [];
  const enter = (host: string, name = host, signal?: AbortSignal) =>
    limiter.enter(
      host,
      signal,
      (leave) => begun.push({ name, leave }),
      () => refused.push(name),
    );
  return { limiter, begun, refused, enter, names: () => begun.map(({ name }) => name) };
}

describe('the limiter of connections', () => {
  test('lets no more than the limit of a host begin, and the rest in order of arrival', () => {
    const { begun, names, enter, limiter } = world(2, 10);
    for (const name of ['1', '2', '3', '4']) enter('a', name);
    enter('b');
    expect(names()).toEqual(['1', '2', 'b']);
    begun[1]?.leave();
    begun[1]?.leave();
    expect(names()).toEqual(['1', '2', 'b', '3']);
    for (const { leave } of begun.slice()) leave();
    expect(names()).toEqual(['1', '2', 'b', '3', '4']);
    for (const { leave } of begun) leave();
    expect(limiter.hosts).toBe(0);
  });

  test('lets hosts take turns when all slots are taken', () => {
    const { begun, names, enter, limiter } = world(3, 3);
    for (let i = 0; i < 100; i++) enter('slow');
    enter('one');
    enter('two');
    enter('one');
    for (let i = 0; i < 6; i++) begun[i]?.leave();
    expect(names()).toEqual(['slow', 'slow', 'slow', 'one', 'two', 'slow', 'one', 'slow', 'slow']);
    for (let i = 0; i < begun.length; i++) begun[i]?.leave();
    expect(begun).toHaveLength(103);
    expect(limiter.hosts).toBe(0);
  });

  test('a waiting exchange that is given up leaves the line, and its slot to the next', () => {
    const { begun, names, refused, enter, limiter } = world(1, 1);
    const ended = new AbortController();
    enter('a', '1');
    enter('a', '2', ended.signal);
    enter('b', '3', ended.signal);
    enter('b', '4');
    ended.abort();
    enter('c', '5', ended.signal);
    expect(refused).toEqual(['2', '3', '5']);
    begun[0]?.leave();
    expect(names()).toEqual(['1', '4']);
    ended.abort();
    begun[1]?.leave();
    expect(limiter.hosts).toBe(0);
  });
});
