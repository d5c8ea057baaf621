import { closedObject, jsonResponse } from '../http/contract.ts';
import type { ControlOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';

export const resetDataset: ControlOperation = {
  id: 'resetDataset',
  method: 'POST',
  path: '/control/reset',
  access: 'control',
  contract: {
    summary:
      'Replaces the dataset by that of the seed. Faults, the rate limit, counts, created accounts and idempotency tokens are removed too.',
    body: 'Empty',
    responses: { 200: jsonResponse('Done.', closedObject({ reset: { const: true } })) },
  },
  handle({ platform }) {
    platform.reset();
    return json({ reset: true });
  },
};
