import { z } from 'zod';
import { webhook } from '../../shared/model/webhook.ts';
import { accountAction } from '../action.ts';
import { webhookId } from './fields.ts';

export const webhookDetail = accountAction({
  name: 'webhooks/detail',
  method: 'GET',
  path: '/webhooks/{id}',
  summary: 'One webhook',
  price: 0,
  effect: 'read',
  input: z.object({ id: webhookId }),
  example: { id: 'wh_Q5bX2m' },
  output: webhook,
  run: ({ account, webhooks }, { id }) => webhooks.find(account, id),
});
