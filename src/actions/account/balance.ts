import { z } from 'zod';
import { accountBalance } from '../../shared/model/account.ts';
import { accountAction } from '../action.ts';

export const balance = accountAction({
  name: 'account/balance',
  method: 'GET',
  path: '/account/balance',
  summary: 'The available credit, and the credit reserved by running calls',
  price: 0,
  effect: 'read',
  input: z.object({}),
  example: {},
  output: accountBalance,
  run: ({ account, accounts }) => accounts.balance(account),
});
