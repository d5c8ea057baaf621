import { z } from 'zod';
import { accountDetails } from '../../shared/model/account.ts';
import { accountAction } from '../action.ts';

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
