import { balance } from '../../../actions/account/balance.ts';
import { details } from '../../../actions/account/details.ts';
import { payments } from '../../../actions/account/payments.ts';
import { usage } from '../../../actions/account/usage.ts';
import type { AccountBalance, AccountDetails, AccountUsage, Payment } from '../../../shared/model/account.ts';
import { given, listCall, oneCall, pageArgs } from './bind.ts';
import { builder } from './builder.ts';

export const AccountRef = builder.objectRef<AccountDetails>('Account');
const ApiKeyRef = builder.objectRef<AccountDetails['api_keys'][number]>('ApiKey');
const UsageRowRef = builder.objectRef<AccountUsage['usage'][number]>('UsageRow');
const PaymentRef = builder.objectRef<Payment>('Payment');

const PaymentConnection = builder.connectionObject(
  { type: PaymentRef, name: 'PaymentConnection', description: 'A page of payments.' },
  { name: 'PaymentEdge', description: 'A payment of a list, with its cursor.' },
);

const Granularity = builder.enumType('Granularity', {
  description: 'What one row of usage sums up.',
  values: {
    HOUR: { value: 'hour', description: 'An hour.' },
    DAY: { value: 'day', description: 'A day, in UTC.' },
  } as const,
});

interface UsageArgs {
  from?: string | null | undefined;
  to?: string | null | undefined;
  granularity?: 'hour' | 'day' | null | undefined;
}

builder.objectType(AccountRef, {
  description: 'The API account that pays.',
  fields: (t) => ({
    accountId: t.exposeString('id', { description: 'Its id.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was made.' }),
    balance: t.expose('balance', { type: 'Credits', description: 'What is left to spend.' }),
    currency: t.exposeString('currency', { description: 'Of `balance` and `held`: `USD`.' }),
    held: t.field({
      type: 'Credits',
      description: 'What calls in flight have reserved, this request among them.',
      ...oneCall<AccountDetails, unknown, AccountBalance, string>({
        action: balance,
        input: () => ({}),
        read: ({ held }) => held,
      }),
    }),
    apiKeys: t.field({
      type: [ApiKeyRef],
      description: 'Its keys, revoked ones too.',
      resolve: (account) => account.api_keys,
    }),
    usage: t.field({
      type: [UsageRowRef],
      description: 'Successful calls and what they cost.',
      args: {
        from: t.arg({
          type: 'DateTime',
          description: 'From the hour of this time on; 30 days before `to` if left out.',
        }),
        to: t.arg({ type: 'DateTime', description: 'Up to this time; now if left out.' }),
        granularity: t.arg({ type: Granularity, defaultValue: 'day', description: 'What one row sums up.' }),
      },
      ...oneCall<AccountDetails, UsageArgs, AccountUsage, AccountUsage['usage']>({
        action: usage,
        input: (_account, { from, to, granularity }) => given({ from, to, granularity }),
        read: (found) => found.usage,
      }),
    }),
    payments: t.field({
      type: PaymentConnection,
      args: pageArgs,
      description: 'Credit that was paid in, newest first.',
      ...listCall<AccountDetails, Payment, Payment>({
        action: payments,
        items: 'payments',
        input: () => ({}),
        read: (payment) => payment,
      }),
    }),
  }),
});

builder.objectType(ApiKeyRef, {
  description: 'A key of the account, without its secret.',
  fields: (t) => ({
    apiKeyId: t.exposeString('id', { description: 'Its id.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    prefix: t.exposeString('prefix', { description: 'The readable beginning.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was made.' }),
    lastUsedAt: t.expose('last_used_at', {
      type: 'DateTime',
      nullable: true,
      description: 'About when it was last used.',
    }),
    revokedAt: t.expose('revoked_at', { type: 'DateTime', nullable: true, description: 'When it was revoked.' }),
  }),
});

builder.objectType(UsageRowRef, {
  description: 'The calls of one action in one hour or day.',
  fields: (t) => ({
    period: t.expose('period', { type: 'DateTime', description: 'When it begins.' }),
    endpoint: t.exposeString('endpoint', { description: 'The action, such as `user/info`.' }),
    calls: t.exposeInt('calls', { description: 'Successful calls.' }),
    charged: t.expose('charged', { type: 'Credits', description: 'What they cost.' }),
  }),
});

builder.objectType(PaymentRef, {
  description: 'Credit that was paid in.',
  fields: (t) => ({
    paymentId: t.exposeString('id', { description: 'Its id.' }),
    amount: t.expose('amount', { type: 'Credits', description: 'How much.' }),
    currency: t.exposeString('currency', { description: '`USD`.' }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When.' }),
    description: t.exposeString('description', { description: 'What for.' }),
  }),
});

export const readAccount = oneCall<unknown, unknown, AccountDetails, AccountDetails>({
  action: details,
  input: () => ({}),
  read: (account) => account,
});
