import { z } from 'zod';
import { pageInput } from '../../shared/model/page.ts';
import { searchText } from '../../shared/model/scalars.ts';
import { platformAction } from '../action.ts';
import { userPage, userPageOutput } from '../paging/pages.ts';

export const searchUsers = platformAction({
  name: 'user/search',
  method: 'GET',
  summary: 'Search users by name and description',
  paged: true,
  input: z.object({
    q: searchText.meta({
      description: 'Words to find in the screen name, the name or the description. All words must match.',
      examples: ['coffee'],
    }),
    ...pageInput,
  }),
  example: { q: 'coffee', count: 1 },
  output: z.object({ query: z.string(), ...userPageOutput('users') }),
  async run({ platform }, { q, count, cursor = null }) {
    return { query: q, ...userPage('users', await platform.searchUsers({ q, count, cursor })) };
  },
});
