import { describe, expect, test } from 'vitest';
import { Channel } from '../../src/main/cluster/channel.ts';
import type { SupervisorApi } from '../../src/main/cluster/protocol.ts';
import { SharedLimits } from '../../src/main/cluster/shared-limits.ts';
import { workerGroup } from '../../src/main/cluster/worker-group.ts';
import { Metrics } from '../../src/shared/observability/metrics.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';

/** Connects a worker to a supervisor with the functions `own`. Messages are sent as JSON, as over IPC. Returns the worker's channel. */
function connect(own: object) {
  const sent: unknown[] = [];
  const worker = new Channel<SupervisorApi>((batch) => {
    sent.push(batch);
    supervisor.receive(JSON.parse(JSON.stringify(batch)));
  }, {});
  const supervisor = new Channel<Record<never, never>>(
    (batch) => worker.receive(JSON.parse(JSON.stringify(batch))),
    own,
  );
  return { worker, sent };
}

describe('the channel of a worker', () => {
  test('sends the calls of one turn as one message, and calls without a result with them', async () => {
    const left: string[] = [];
    const { worker, sent } = connect({
      enter: (_kind: string, key: string) => key === 'free',
      leave: (_kind: string, key: string) => left.push(key),
    });
    worker.tell('leave', 'requests', 'one');
    const keys = ['free', 'full', 'free'];
    expect(await Promise.all(keys.map((key) => worker.call('enter', 'requests', key, 1)))).toEqual([true, false, true]);
    expect(left).toEqual(['one']);
    expect(sent).toHaveLength(1);
    worker.tell('leave', 'requests', 'two');
    await expect.poll(() => left).toEqual(['one', 'two']);
  });

  test('rejects calls that fail, and all that wait when it is closed', async () => {
    const { worker } = connect({
      metricsText: () => {
        throw new Error('no metrics');
      },
      sandboxUrl: () => new Promise(() => {}),
    });
    await expect(worker.call('metricsText')).rejects.toThrow('no metrics');
    const waits = worker.call('sandboxUrl');
    worker.close();
    await expect(waits).rejects.toThrow('closed');
    await expect(worker.call('sandboxUrl')).rejects.toThrow('closed');
  });

  test('ignores messages that arrive after the end of the worker, so that they take no slot of a limit', async () => {
    const { api, end } = new SharedLimits(systemRuntime, 1).openSession();
    const late = new Channel<Record<never, never>>(() => {}, api);
    late.close();
    end();
    late.receive({ postern: { calls: [[1, 'enter', ['streams', 'key', 1]]], replies: [] } });
    expect(api.enter('streams', 'key', 1)).toBe(true);
  });
});

test('sequential calls never reach a limit of one, whichever worker handles them', async () => {
  const limits = new SharedLimits(systemRuntime, 2);
  const groups = [1, 2].map((worker) =>
    workerGroup(connect(limits.openSession().api).worker, {
      worker,
      processId: '',
      isReplaced: () => false,
      metrics: new Metrics(),
    }),
  );
  for (let i = 0; i < 20; i++) {
    const counters = groups[i % 2]?.counters;
    expect((await counters?.admit('key', { requests: 1, calls: 0 }))?.entered).toBe(true);
    counters?.leave('requests', 'key');
  }
});
