import { z } from 'zod';
import {
  accountBalance,
  accountDetails,
  accountUsage,
  granularity,
  payment,
  thresholdInput,
} from '../../shared/model/account.ts';
import { auditEntry } from '../../shared/model/audit.ts';
import { accountAction } from '../action.ts';
import { anyOf, moment, momentPattern as pattern } from '../input/input.ts';
import { accountList } from '../paging/account-list.ts';

export const updateAccount = accountAction({
  name: 'account/update',
  method: 'PATCH',
  path: '/account',
  summary: 'Set the threshold for the event of low credit',
  description:
    'A charge that takes the credit below the threshold sends one `account.low_credit` event to the webhooks of the account whose `events` ' +
    'list this type. The next event is sent after a payment has raised the credit to the threshold or above it.',
  input: z.object({ low_credit_threshold: thresholdInput.nullable().optional() }).check(anyOf('low_credit_threshold')),
  example: { low_credit_threshold: '1.5' },
  output: accountDetails,
  run: ({ account, author, accounts }, { low_credit_threshold: threshold }) =>
    accounts.setLowCreditThreshold(account, threshold ?? null, author),
});

export const details = accountAction({
  name: 'account',
  method: 'GET',
  summary: 'The API account and its keys',
  input: z.object({}),
  example: {},
  output: accountDetails,
  run: ({ account, accounts }) => accounts.details(account),
});

export const balance = accountAction({
  name: 'account/balance',
  method: 'GET',
  summary: 'The available credit, and the credit reserved by running calls',
  input: z.object({}),
  example: {},
  output: accountBalance,
  run: ({ account, accounts }) => accounts.balance(account),
});

export const usage = accountAction({
  name: 'account/usage',
  method: 'GET',
  summary: 'Successful calls and their cost, by hour or day',
  input: z.object({
    from: moment.optional().meta({
      description:
        'Start, rounded down to the hour, ISO 8601; 30 days before `to` if left out. At most 400 days before `to`, or 31 with `hour`.',
      pattern,
      examples: ['2026-11-01T00:00:00Z', '2026-11-01'],
    }),
    to: moment.optional().meta({
      description: 'End, ISO 8601; now if left out.',
      pattern,
      examples: ['2026-12-01T00:00:00Z', '2026-12-01'],
    }),
    granularity: granularity.default('day').meta({ description: 'Period of each row.' }),
  }),
  example: { granularity: 'day' },
  output: accountUsage,
  run: ({ account, accounts }, input) => accounts.usage(account, input),
});

export const payments = accountList('payments', {
  name: 'account/payments',
  summary: 'The payments into the account, newest first',
  item: payment,
  read: ({ account, accounts }, count, cursor) => accounts.payments(account, count, cursor),
});

export const audit = accountList('audit', {
  name: 'account/audit',
  summary: 'The changes of keys, webhooks, credit and settings, newest first',
  description: 'Entries are kept for 400 days. An account keeps its last 10,000 entries.',
  item: auditEntry,
  read: ({ account, accounts }, count, cursor) => accounts.audit(account, count, cursor),
});
