import { z } from 'zod';
import { payment } from '../../shared/model/account.ts';
import { pageInput, pageOutput } from '../../shared/model/page.ts';
import { accountAction } from '../action.ts';

export const payments = accountAction({
  name: 'account/payments',
  method: 'GET',
  path: '/account/payments',
  summary: 'The payments into the account, newest first',
  price: 0,
  effect: 'read',
  paged: true,
  input: z.object(pageInput),
  example: { count: 5 },
  output: z.object({ payments: z.array(payment), ...pageOutput }),
  async run({ account, accounts }, { count, cursor = null }) {
    const page = await accounts.payments(account, count, cursor);
    return { payments: page.items, has_more: page.cursor !== null, next_cursor: page.cursor };
  },
});
