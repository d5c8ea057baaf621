import { balance } from '../../../actions/account/balance.ts';
import { details } from '../../../actions/account/details.ts';
import { payments } from '../../../actions/account/payments.ts';
import { usage } from '../../../actions/account/usage.ts';
import {
  accountBalance,
  accountDetails,
  apiKey,
  granularity,
  type Payment,
  payment,
  usageRow,
} from '../../../shared/model/account.ts';
import { listCall, oneCall } from './bind.ts';
import { connectionOf } from './refs.ts';
import { descriptionOf, enumOf, objectOf } from './zod-types.ts';

enumOf('Granularity', granularity, 'The period of a row of usage.', (period) =>
  period === 'hour' ? 'An hour.' : 'A day in UTC.',
);
objectOf('ApiKey', apiKey, { names: { id: 'apiKeyId' } });
const UsageRowRef = objectOf('UsageRow', usageRow);
const PaymentConnection = connectionOf('Payment', objectOf('Payment', payment, { names: { id: 'paymentId' } }));

export const AccountRef = objectOf('Account', accountDetails, {
  names: { id: 'accountId' },
  fields: (t) => ({
    held: t.field({
      type: 'Credits',
      ...oneCall({ action: balance, about: descriptionOf(accountBalance.shape.held), read: ({ held }) => held }),
    }),
    usage: t.field({ type: [UsageRowRef], ...oneCall({ action: usage, read: (found) => found.usage }) }),
    payments: t.field({
      type: PaymentConnection,
      ...listCall({ action: payments, items: 'payments', read: (paid: Payment) => paid }),
    }),
  }),
});

export const readAccount = oneCall({ action: details });
