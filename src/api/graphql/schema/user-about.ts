import type { UserAbout } from '../../../shared/model/user-about.ts';
import { builder } from './builder.ts';

export const UserAboutRef = builder.objectRef<UserAbout>('UserAbout');

const UsernameChangesRef = builder.objectRef<UserAbout['usernameChanges']>('UsernameChanges');

builder.objectType(UsernameChangesRef, {
  description: 'Changes of the screen name.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'How often the screen name was changed.' }),
    lastChangedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was last changed; null if it never was.',
      resolve: ({ lastChangedAt }) => lastChangedAt || null,
    }),
  }),
});

builder.objectType(UserAboutRef, {
  description: 'Where an account comes from.',
  fields: (t) => ({
    accountBasedIn: t.exposeString('accountBasedIn', { description: 'Country or region.' }),
    createdVia: t.exposeString('createdVia', { description: 'The client platform.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the account was made.' }),
    isVerified: t.exposeBoolean('isVerified', { description: 'True for who is verified.' }),
    isBlueVerified: t.exposeBoolean('isBlueVerified', { description: 'True for who is verified by paying.' }),
    isIdentityVerified: t.exposeBoolean('isIdentityVerified', { description: 'True for who showed a document.' }),
    verifiedSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Null for users who are not verified, and if the day is not known.',
      resolve: ({ verifiedSince }) => verifiedSince || null,
    }),
    usernameChanges: t.field({
      type: UsernameChangesRef,
      description: 'Changes of the screen name.',
      resolve: ({ usernameChanges }) => usernameChanges,
    }),
    usernameChangeCount: t.int({
      deprecationReason: 'Use `usernameChanges { count }`.',
      description: 'How often the screen name was changed.',
      resolve: ({ usernameChanges }) => usernameChanges.count,
    }),
    usernameLastChangedAt: t.field({
      type: 'DateTime',
      nullable: true,
      deprecationReason: 'Use `usernameChanges { lastChangedAt }`.',
      description: 'Null where it never was.',
      resolve: ({ usernameChanges }) => usernameChanges.lastChangedAt || null,
    }),
  }),
});
