import { answers, closed } from '../contract/schema.ts';
import { json } from '../http/answer.ts';
import type { OpenOperation } from '../http/operation.ts';

export const resetDataset: OpenOperation = {
  id: 'resetDataset',
  method: 'POST',
  path: '/control/reset',
  access: 'control',
  contract: {
    summary:
      'Replaces the dataset by that of the seed. Faults, the rate limit, counts, minted accounts and idempotency tokens are removed too.',
    body: 'Empty',
    responses: { 200: answers('Done.', closed({ reset: { const: true } })) },
  },
  handle({ platform }) {
    platform.reset();
    return json({ reset: true });
  },
};
