import { readFault } from '../faults/fault.ts';
import type { FaultRule, FaultTarget } from '../faults/registry.ts';
import { type Fields, optionalInteger, optionalString } from '../fields.ts';
import { control } from '../http/operation.ts';
import { json } from '../http/response.ts';
import type { SandboxState } from '../platform.ts';
import { badRequest } from '../refusal.ts';

export const setFault = control('setFault', 'POST', '/control/faults', ({ platform, body }) => {
  const fault = readFault(body['fault']);
  const times = body['times'] === null ? null : (optionalInteger(body, 'times', 1, 1_000_000_000) ?? 1);
  const rule = platform.faults.add(fault, readTarget(platform, body), times);
  platform.longPolls.wakeMatching(rule);
  return json({ id: rule.id }, 201);
});

export const listFaults = control('listFaults', 'GET', '/control/faults', ({ platform }) =>
  json({ faults: platform.faults.rules.map(ruleForm) }),
);

export const clearFaults = control('clearFaults', 'POST', '/control/faults/clear', ({ platform }) =>
  json({ cleared: platform.faults.clear() }),
);

function readTarget({ operationIds }: SandboxState, body: Fields): FaultTarget {
  const operation = optionalString(body, 'operation');
  if (operation !== undefined && !operationIds.has(operation)) {
    throw badRequest('operation', `No such operation: ${operation}`);
  }
  return {
    operation,
    method: optionalString(body, 'method')?.toUpperCase(),
    path_prefix: optionalString(body, 'path_prefix'),
    actor: optionalString(body, 'actor'),
  };
}

function ruleForm({ id, fault, remaining, operation, method, path_prefix, actor }: FaultRule) {
  return { id, fault, operation, method, path_prefix, actor, times: remaining };
}
