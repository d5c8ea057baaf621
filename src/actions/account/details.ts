import { z } from 'zod';
import { accountDetails, thresholdInput } from '../../shared/model/account.ts';
import { accountAction } from '../action.ts';
import { anyOf } from '../input/input.ts';

export const updateAccount = accountAction({
  name: 'account/update',
  method: 'PATCH',
  path: '/account',
  summary: 'Set the threshold for the event of low credit',
  description:
    'A charge that takes the credit below the threshold sends one `account.low_credit` event to the webhooks of the account whose `events` ' +
    'list this type. The next event is sent after a payment has raised the credit to the threshold or above it.',
  price: 0,
  effect: 'idempotent',
  input: z.object({ low_credit_threshold: thresholdInput.nullable().optional() }).check(anyOf('low_credit_threshold')),
  example: { low_credit_threshold: '1.5' },
  output: accountDetails,
  run: ({ account, author, accounts }, { low_credit_threshold: threshold }) =>
    accounts.setLowCreditThreshold(account, threshold ?? null, author),
});

export const details = accountAction({
  name: 'account',
  method: 'GET',
  path: '/account',
  summary: 'The API account and its keys',
  price: 0,
  effect: 'read',
  input: z.object({}),
  example: {},
  output: accountDetails,
  run: ({ account, accounts }) => accounts.details(account),
});
