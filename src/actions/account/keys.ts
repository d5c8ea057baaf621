import { z } from 'zod';
import { apiKey, apiKeyId, createdApiKey } from '../../shared/model/account.ts';
import { restrictionsInput } from '../../shared/model/key-restrictions.ts';
import { notBlankPattern } from '../../shared/model/scalars.ts';
import { accountAction } from '../action.ts';

export const listKeys = accountAction({
  name: 'account/keys',
  method: 'GET',
  summary: 'The API keys of the account',
  input: z.object({}),
  example: {},
  output: z.object({ api_keys: z.array(apiKey) }),
  run: async ({ account, accounts }) => ({ api_keys: await accounts.keys.list(account) }),
});

export const createKey = accountAction({
  name: 'account/keys/create',
  method: 'POST',
  path: '/account/keys',
  summary: 'Create an API key',
  description:
    'Only this response contains the key, because the service stores only its hash. The account pays for all of its keys, and may have 100 ' +
    'that are not revoked. To replace a key, create a new one and then revoke the old one. A key with a restriction cannot manage keys or ' +
    'the account.',
  handlesCredentials: true,
  input: z.object({
    name: z
      .string()
      .min(1)
      .max(100, { error: 'must be at most 100 characters', abort: true })
      .regex(/\S/, 'must not be blank')
      .refine((text) => text.isWellFormed(), 'holds half of a surrogate pair')
      .meta({
        description: 'Name of the key, which lets people distinguish keys.',
        pattern: notBlankPattern,
        examples: ['Nightly report'],
      }),
    ...restrictionsInput,
  }),
  example: { name: 'Nightly report' },
  output: createdApiKey,
  run: ({ account, author, accounts, tokenFor }, { name, ...restrictions }) =>
    accounts.keys.create({ account, author, name, restrictions, token: tokenFor('createKey') }),
});

export const revokeKey = accountAction({
  name: 'account/keys/revoke',
  method: 'DELETE',
  path: '/account/keys/{id}',
  summary: 'Revoke an API key',
  description:
    'All processes of the service refuse a revoked key within 5 seconds. A key that is already revoked is returned as it is. The latest 100 ' +
    'revoked keys of an account stay listed.',
  destructive: true,
  input: z.object({ id: apiKeyId }),
  example: { id: 'key_5f0c2b7d9e8a4c6b1d3f7a90' },
  output: apiKey,
  run: ({ account, author, accounts }, { id }) => accounts.keys.revoke(account, id, author),
});
