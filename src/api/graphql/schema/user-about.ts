import { userAbout, usernameChanges } from '../../../shared/model/user-about.ts';
import { objectOf, schemaDescription } from './zod-types.ts';

const { lastChangedAt, count } = usernameChanges.shape;

objectOf('UsernameChanges', usernameChanges);

export const UserAboutRef = objectOf('UserAbout', userAbout, {
  omit: ['id', 'userName', 'name', 'profilePicture'],
  fields: (t) => ({
    usernameChangeCount: t.int({
      deprecationReason: 'Use `usernameChanges { count }`.',
      description: schemaDescription(count),
      resolve: (about) => about.usernameChanges.count,
    }),
    usernameLastChangedAt: t.field({
      type: 'DateTime',
      nullable: true,
      deprecationReason: 'Use `usernameChanges { lastChangedAt }`.',
      description: schemaDescription(lastChangedAt),
      resolve: (about) => about.usernameChanges.lastChangedAt || null,
    }),
  }),
});
