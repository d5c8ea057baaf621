import { readFault } from '../faults/fault.ts';
import type { Rule, Target } from '../faults/registry.ts';
import { json } from '../http/answer.ts';
import { type Fields, optionalInteger, optionalString } from '../http/input.ts';
import type { OpenOperation } from '../http/operation.ts';

export const setFault: OpenOperation = {
  id: 'setFault',
  method: 'POST',
  path: '/control/faults',
  access: 'control',
  handle({ platform, body }) {
    const fault = readFault(body['fault']);
    const times = body['times'] === null ? null : (optionalInteger(body, 'times', 1, 1_000_000_000) ?? 1);
    return json({ id: platform.faults.add(fault, readTarget(body), times).id }, 201);
  },
};

export const listFaults: OpenOperation = {
  id: 'listFaults',
  method: 'GET',
  path: '/control/faults',
  access: 'control',
  handle: ({ platform }) => json({ faults: platform.faults.rules.map(ruleForm) }),
};

export const clearFaults: OpenOperation = {
  id: 'clearFaults',
  method: 'POST',
  path: '/control/faults/clear',
  access: 'control',
  handle: ({ platform }) => json({ cleared: platform.faults.clear() }),
};

function readTarget(body: Fields): Target {
  const operation = optionalString(body, 'operation');
  const method = optionalString(body, 'method')?.toUpperCase();
  const pathPrefix = optionalString(body, 'path_prefix');
  const actor = optionalString(body, 'actor');
  return {
    ...(operation === undefined ? {} : { operation }),
    ...(method === undefined ? {} : { method }),
    ...(pathPrefix === undefined ? {} : { path_prefix: pathPrefix }),
    ...(actor === undefined ? {} : { actor }),
  };
}

function ruleForm({ id, fault, remaining, operation, method, path_prefix, actor }: Rule) {
  return { id, fault, operation, method, path_prefix, actor, times: remaining };
}
