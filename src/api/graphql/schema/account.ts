import { audit, balance, details, payments, updateAccount, usage } from '../../../actions/account/account.ts';
import { capabilities } from '../../../actions/account/capabilities.ts';
import { createKey, listKeys, revokeKey } from '../../../actions/account/keys.ts';
import {
  accountBalance,
  accountDetails,
  apiKey,
  durations,
  granularity,
  payment,
  usageRow,
} from '../../../shared/model/account.ts';
import { auditEntry } from '../../../shared/model/audit.ts';
import {
  actionSupport,
  capabilities as capabilitiesOutput,
  mediaLimit,
  signIn,
  textLimit,
} from '../../../shared/model/capabilities.ts';
import { endpointGroup } from '../../../shared/model/key-restrictions.ts';
import { listCall, oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { mutation } from './mutation.ts';
import { connectionOf } from './refs.ts';
import { enumOf, objectOf, schemaDescription } from './zod-types.ts';

enumOf('Granularity', granularity, 'The period of a row of usage.', (period) =>
  period === 'hour' ? 'An hour.' : 'A day in UTC.',
);
enumOf(
  'EndpointGroup',
  endpointGroup,
  'A group of endpoints that an API key may be restricted to.',
  (group) => `The endpoints whose names begin with \`${group}\`.`,
);
const keyNames = { id: 'apiKeyId' };
const ApiKeyRef = objectOf('ApiKey', apiKey, { names: keyNames });
objectOf('Durations', durations);
const UsageErrorRef = builder.objectRef<{ code: string; calls: number }>('UsageError').implement({
  description: 'The failed calls with one error code.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The error code of REST, such as `rate_limited`.' }),
    calls: t.exposeInt('calls', { description: 'Number of failed calls.' }),
  }),
});
const UsageRowRef = objectOf('UsageRow', usageRow, {
  omit: ['errors'],
  fields: (t) => ({
    errors: t.field({
      type: [UsageErrorRef],
      description: 'The failed calls by error code.',
      resolve: ({ errors }) => Object.entries(errors).map(([code, calls]) => ({ code, calls })),
    }),
  }),
});
const PaymentConnection = connectionOf('Payment', objectOf('Payment', payment, { names: { id: 'paymentId' } }));

const AuditDetailRef = builder.objectRef<{ name: string; value: string }>('AuditDetail').implement({
  description: 'A fact about a change.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the fact, such as `amount`.' }),
    value: t.exposeString('value', { description: 'Value of the fact. It is never a secret.' }),
  }),
});
objectOf('AuditAuthor', auditEntry.shape.by);
objectOf('AuditSubject', auditEntry.shape.subject);
const AuditEntryRef = objectOf('AuditEntry', auditEntry, {
  names: { id: 'auditEntryId' },
  omit: ['details'],
  fields: (t) => ({
    details: t.field({
      type: [AuditDetailRef],
      description: schemaDescription(auditEntry.shape.details),
      resolve: ({ details }) => Object.entries(details).map(([name, value]) => ({ name, value })),
    }),
  }),
});
const AuditEntryConnection = connectionOf('AuditEntry', AuditEntryRef);

export const AccountRef = objectOf('Account', accountDetails, {
  names: { id: 'accountId' },
  omit: ['api_keys'],
  fields: (t) => ({
    apiKeys: t.field({ type: [ApiKeyRef], ...oneCall({ action: listKeys, read: ({ api_keys: keys }) => keys }) }),
    held: t.field({
      type: 'Credits',
      ...oneCall({ action: balance, about: schemaDescription(accountBalance.shape.held), read: ({ held }) => held }),
    }),
    usage: t.field({ type: [UsageRowRef], ...oneCall({ action: usage, read: (found) => found.usage }) }),
    payments: t.field({
      type: PaymentConnection,
      ...listCall({ action: payments, items: 'payments' }),
    }),
    audit: t.field({
      type: AuditEntryConnection,
      ...listCall({ action: audit, items: 'audit' }),
    }),
  }),
});

mutation('updateAccount', updateAccount, { payload: AccountRef });
mutation('createApiKey', createKey, { payload: { names: keyNames } });
mutation('revokeApiKey', revokeKey, { input: { names: keyNames }, payload: { names: keyNames } });

export const readAccount = oneCall({ action: details });

objectOf('ActionSupport', actionSupport);
objectOf('TextLimit', textLimit);
objectOf('MediaLimit', mediaLimit);
objectOf('SignIn', signIn);

export const CapabilitiesRef = objectOf('Capabilities', capabilitiesOutput);

export const readCapabilities = oneCall({ action: capabilities });
