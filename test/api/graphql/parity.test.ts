import { expect, test } from 'vitest';
import { actions } from '../../../src/actions/registry.ts';
import { compareApis } from './parity-checks.ts';
import { rows } from './parity-rows.ts';
import { startSandboxParity } from './parity-sandbox.ts';

test('every action has a row, and every row is of an action', () => {
  expect(Object.keys(rows).sort()).toEqual(actions.map(({ name }) => name).sort());
});

compareApis(startSandboxParity);
