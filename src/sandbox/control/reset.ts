import type { ControlOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';

export const resetDataset: ControlOperation = {
  id: 'resetDataset',
  method: 'POST',
  path: '/control/reset',
  access: 'control',
  handle({ platform }) {
    platform.reset();
    return json({ reset: true });
  },
};
