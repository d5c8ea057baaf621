import { readFault } from '../faults/fault.ts';
import type { FaultRule, FaultTarget } from '../faults/registry.ts';
import { type Fields, optionalInteger, optionalString } from '../fields.ts';
import { closedObject, jsonBody, jsonResponse, ref } from '../http/contract.ts';
import type { ControlOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';
import type { SandboxState } from '../platform.ts';
import { badRequest } from '../refusal.ts';

export const setFault: ControlOperation = {
  id: 'setFault',
  method: 'POST',
  path: '/control/faults',
  access: 'control',
  contract: {
    summary:
      'Injects a fault into later requests and into requests for activity that wait. If several faults match a request, the oldest applies. Faults are lost when the sandbox stops.',
    body: jsonBody(ref('FaultRule'), {
      fault: { kind: 'rate_limit', retry_after: 3 },
      operation: 'searchPostsAll',
      times: 2,
    }),
    responses: { 201: jsonResponse('The fault waits for a request.', closedObject({ id: { type: 'string' } })) },
  },
  handle({ platform, body }) {
    const fault = readFault(body['fault']);
    const times = body['times'] === null ? null : (optionalInteger(body, 'times', 1, 1_000_000_000) ?? 1);
    const rule = platform.faults.add(fault, readTarget(platform, body), times);
    platform.longPolls.wakeMatching(rule);
    return json({ id: rule.id }, 201);
  },
};

export const listFaults: ControlOperation = {
  id: 'listFaults',
  method: 'GET',
  path: '/control/faults',
  access: 'control',
  contract: {
    summary: 'Lists the faults that wait for a request.',
    responses: {
      200: jsonResponse(
        'Oldest first.',
        closedObject({
          faults: {
            type: 'array',
            items: {
              allOf: [
                ref('FaultRule'),
                {
                  type: 'object',
                  required: ['id', 'times'],
                  properties: {
                    id: { type: 'string' },
                    times: {
                      description:
                        'The number of requests that the fault still affects. Null: all until it is cleared.',
                    },
                  },
                },
              ],
            },
          },
        }),
      ),
    },
  },
  handle: ({ platform }) => json({ faults: platform.faults.rules.map(ruleForm) }),
};

export const clearFaults: ControlOperation = {
  id: 'clearFaults',
  method: 'POST',
  path: '/control/faults/clear',
  access: 'control',
  contract: {
    summary: 'Removes all faults.',
    body: 'Empty',
    responses: { 200: jsonResponse('The number of removed faults.', closedObject({ cleared: ref('Count') })) },
  },
  handle: ({ platform }) => json({ cleared: platform.faults.clear() }),
};

function readTarget({ operationIds }: SandboxState, body: Fields): FaultTarget {
  const operation = optionalString(body, 'operation');
  if (operation !== undefined && !operationIds.has(operation)) {
    throw badRequest('operation', `No such operation: ${operation}`);
  }
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

function ruleForm({ id, fault, remaining, operation, method, path_prefix, actor }: FaultRule) {
  return { id, fault, operation, method, path_prefix, actor, times: remaining };
}
