import { listMembers } from '../../../actions/list/members.ts';
import type { UserCard } from '../../../shared/model/user-card.ts';
import { listCall, pageArgs } from './bind.ts';
import { builder } from './builder.ts';
import { ListRef, UserConnection } from './refs.ts';
import { fromCard, type UserSource } from './user-source.ts';

builder.node(ListRef, {
  description: 'A list of users that somebody keeps.',
  id: { resolve: (list) => list.listId },
  fields: (t) => ({
    listId: t.exposeString('listId', { description: "The platform's id." }),
    members: t.field({
      type: UserConnection,
      args: pageArgs,
      description: 'Who is on it.',
      ...listCall<{ listId: string }, UserCard, UserSource>({
        action: listMembers,
        items: 'members',
        input: ({ listId }) => ({ listId }),
        read: fromCard,
        view: 'card',
      }),
    }),
  }),
});
