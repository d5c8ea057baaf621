import { z } from 'zod';
import { auditEntry } from '../../shared/model/audit.ts';
import { pageInput, pageOutput } from '../../shared/model/page.ts';
import { accountAction } from '../action.ts';

export const audit = accountAction({
  name: 'account/audit',
  method: 'GET',
  path: '/account/audit',
  summary: 'The changes of keys, webhooks, credit and settings, newest first',
  description: 'Entries are kept for 400 days. An account keeps its last 10,000 entries.',
  price: 0,
  effect: 'read',
  paged: true,
  input: z.object(pageInput),
  example: { count: 5 },
  output: z.object({ audit: z.array(auditEntry), ...pageOutput }),
  async run({ account, accounts }, { count, cursor = null }) {
    const page = await accounts.audit(account, count, cursor);
    return { audit: page.items, has_more: page.cursor !== null, next_cursor: page.cursor };
  },
});
