import { listMembers } from '../../../actions/list/members.ts';
import { listCall } from './bind.ts';
import { builder } from './builder.ts';
import { ListRef, UserConnection } from './refs.ts';
import { fromCard } from './user-source.ts';

builder.node(ListRef, {
  description: 'A list of users.',
  id: { resolve: (list) => list.listId },
  fields: (t) => ({
    listId: t.exposeString('listId', { description: "The platform's id of the list." }),
    members: t.field({
      type: UserConnection,
      ...listCall({
        action: listMembers,
        items: 'members',
        input: ({ listId }: { listId: string }) => ({ listId }),
        read: fromCard,
        view: 'card',
      }),
    }),
  }),
});
