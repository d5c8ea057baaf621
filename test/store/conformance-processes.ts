import { describe, expect, test } from 'vitest';
import { processTtlMs } from '../../src/store/port.ts';
import type { StoreTest } from './webhook-makers.ts';

/** Tests of the guarantees for processes that share a store. */
export function describeProcesses({ fixture, store }: StoreTest): void {
  describe('processes', () => {
    test('are counted while they send heartbeats', async () => {
      expect(await store.processes.beat('p1')).toBe(1);
      expect(await store.processes.beat('p1')).toBe(1);
      const other = await fixture.open();
      expect(await other.processes.beat('p2')).toBe(2);
      fixture.leap(processTtlMs - 1_000);
      expect(await store.processes.beat('p1')).toBe(2);
      fixture.leap(1_000);
      expect(await store.processes.beat('p1')).toBe(1);
    });

    test('are no longer counted after `leave`', async () => {
      await store.processes.beat('p1');
      await store.processes.beat('p2');
      await store.processes.leave('p2');
      await store.processes.leave('nobody');
      expect(await store.processes.beat('p1')).toBe(1);
    });
  });
}
