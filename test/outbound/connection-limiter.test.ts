import { describe, expect, test } from 'vitest';
import { ConnectionLimiter } from '../../src/outbound/connection-limiter.ts';

interface Entry {
  name: string;
  leave: () => void;
}

/** Records which requests began and which were refused, in order. */
function fixture(perHost: number, total: number) {
  const limiter = new ConnectionLimiter({ perHost, total });
  const begun: Entry[] = [];
  const refused: string[] = [];
  const enter = (account: string, host: string, name = account, signal?: AbortSignal) =>
    limiter.enter(
      { account, host },
      signal,
      (leave) => begun.push({ name, leave }),
      () => refused.push(name),
    );
  const names = () => begun.map(({ name }) => name);
  const count = (name: string) => names().filter((each) => each === name).length;
  /** Ends all running requests and those that begin afterwards, in order of arrival. */
  const endAll = () => {
    for (const { leave } of begun) leave();
  };
  return { limiter, begun, refused, enter, names, count, endAll };
}

function repeat(times: number, action: (index: number) => void): void {
  for (let i = 0; i < times; i++) action(i);
}

describe('the limiter of connections', () => {
  test('gives one account half of a host, and the rest in order of arrival', () => {
    const { begun, names, enter, endAll, limiter } = fixture(4, 100);
    for (const name of ['1', '2', '3', '4']) enter('ann', 'a', name);
    enter('ann', 'b', 'other host');
    expect(names()).toEqual(['1', '2', 'other host']);
    begun[1]?.leave();
    begun[1]?.leave();
    expect(names()).toEqual(['1', '2', 'other host', '3']);
    endAll();
    expect(names()).toEqual(['1', '2', 'other host', '3', '4']);
    expect(limiter.hosts).toBe(0);
  });

  test('starts the exchange of a newcomer at once while another account has a long queue at the host', () => {
    const { enter, count, endAll, limiter } = fixture(128, 1_024);
    repeat(1_000, () => enter('ann', 'shared'));
    expect(count('ann')).toBe(64);
    enter('bob', 'shared');
    expect(count('bob')).toBe(1);
    endAll();
    expect(count('ann')).toBe(1_000);
    expect(limiter.hosts).toBe(0);
  });

  test('keeps a slot of a host free for a newcomer while seven accounts flood it', () => {
    const { begun, enter, count, endAll, limiter } = fixture(128, 10_000);
    repeat(1_000, (i) => enter(`flood ${i % 7}`, 'shared'));
    repeat(3, () => {
      for (const { leave } of begun.slice()) leave();
    });
    enter('bob', 'shared');
    expect(count('bob')).toBe(1);
    endAll();
    expect(begun).toHaveLength(1_001);
    expect(limiter.hosts).toBe(0);
  });

  test('lets accounts take turns at a host', () => {
    const { begun, names, enter, endAll } = fixture(2, 100);
    enter('ann', 'a', 'ann 1');
    enter('bob', 'a', 'bob 1');
    repeat(3, (i) => enter('ann', 'a', `ann ${i + 2}`));
    enter('bob', 'a', 'bob 2');
    enter('cid', 'a', 'cid 1');
    expect(names()).toEqual(['ann 1', 'bob 1']);
    begun[0]?.leave();
    expect(names().slice(2)).toEqual(['ann 2']);
    begun[2]?.leave();
    expect(names().slice(3)).toEqual(['cid 1']);
    endAll();
    expect(names().slice(4)).toEqual(['bob 2', 'ann 3', 'ann 4']);
  });

  test('gives one account a quarter of the total, however many hosts it names', () => {
    const { enter, count, endAll, begun, limiter } = fixture(128, 1_024);
    repeat(1_100, (i) => enter('ann', `h${i}.wild.example`));
    expect(count('ann')).toBe(256);
    enter('bob', 'honest.example');
    expect(count('bob')).toBe(1);
    endAll();
    expect(begun).toHaveLength(1_101);
    expect(limiter.hosts).toBe(0);
  });

  test('keeps slots for a newcomer while eleven accounts fill 1,100 hosts with eight exchanges each', () => {
    const { enter, count } = fixture(128, 1_024);
    repeat(8_800, (i) => enter(`owner ${i % 11}`, `h${i % 1_100}.wild.example`));
    repeat(8, () => enter('bob', 'honest.example'));
    expect(count('bob')).toBe(8);
  });

  test('lets accounts take turns at the total, whatever number of hosts they wait for', () => {
    const { begun, names, enter, endAll } = fixture(10, 1);
    enter('ann', 'x');
    repeat(20, (i) => enter('ann', `h${i}`));
    enter('bob', 'y');
    begun[0]?.leave();
    begun[1]?.leave();
    expect(names()).toEqual(['ann', 'ann', 'bob']);
    endAll();
    expect(begun).toHaveLength(22);
  });

  test('lets the hosts of one account take turns', () => {
    const { begun, names, enter, endAll, limiter } = fixture(10, 1);
    repeat(3, () => enter('ann', 'slow', 'slow'));
    enter('ann', 'one', 'one');
    enter('ann', 'two', 'two');
    repeat(3, (i) => begun[i]?.leave());
    expect(names()).toEqual(['slow', 'slow', 'one', 'two']);
    endAll();
    expect(begun).toHaveLength(5);
    expect(limiter.hosts).toBe(0);
  });

  test('an exchange that ends while it begins leaves its slot to the next', () => {
    const limiter = new ConnectionLimiter({ perHost: 2, total: 100 });
    let ended = 0;
    let leaveFirst = () => {};
    const owner = { account: 'ann', host: 'a' };
    limiter.enter(
      owner,
      undefined,
      (leave) => {
        leaveFirst = leave;
      },
      () => {},
    );
    repeat(50_000, () =>
      limiter.enter(
        owner,
        undefined,
        (leave) => {
          ended += 1;
          leave();
        },
        () => {},
      ),
    );
    leaveFirst();
    expect(ended).toBe(50_000);
    expect(limiter.hosts).toBe(0);
  });

  test('a waiting exchange that is given up leaves the line, and its slot to the next', () => {
    const { begun, names, refused, enter, endAll, limiter } = fixture(1, 1);
    const ended = new AbortController();
    enter('ann', 'a', '1');
    enter('ann', 'a', '2', ended.signal);
    enter('bob', 'b', '3', ended.signal);
    enter('bob', 'b', '4');
    ended.abort();
    enter('cid', 'c', '5', ended.signal);
    expect(refused).toEqual(['2', '3', '5']);
    begun[0]?.leave();
    expect(names()).toEqual(['1', '4']);
    ended.abort();
    endAll();
    expect(limiter.hosts).toBe(0);
  });
});
