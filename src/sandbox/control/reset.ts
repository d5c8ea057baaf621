import { json } from '../http/answer.ts';
import type { OpenOperation } from '../http/operation.ts';

export const resetWorld: OpenOperation = {
  id: 'resetWorld',
  method: 'POST',
  path: '/control/reset',
  access: 'control',
  handle({ platform }) {
    platform.reset();
    return json({ reset: true });
  },
};
