import { z } from 'zod';
import { pageInput } from '../../shared/model/page.ts';
import { numericId } from '../../shared/model/scalars.ts';
import { platformAction } from '../action.ts';
import { userPage, userPageOutput } from '../paging/pages.ts';

export const listMembers = platformAction({
  name: 'list/members',
  method: 'GET',
  summary: 'Members of a list',
  paged: true,
  input: z.object({ listId: numericId.meta({ description: "The platform's id of the list." }), ...pageInput }),
  example: { listId: '1989000000000000000', count: 1 },
  output: z.object({ listId: numericId, ...userPageOutput('members') }),
  async run({ platform }, { listId, count, cursor = null }) {
    return { listId, ...userPage('members', await platform.listMembers(listId, { count, cursor })) };
  },
});
