import { z } from 'zod';
import { pageInput } from '../../shared/model/page.ts';
import { searchText } from '../../shared/model/scalars.ts';
import { platformAction } from '../action.ts';
import { tweetPage, tweetPageOutput } from '../paging/pages.ts';

export const searchProduct = z.enum(['Latest', 'Top'], 'must be Latest or Top');

export const advancedSearch = platformAction({
  name: 'tweet/advanced_search',
  method: 'GET',
  summary: 'Search tweets',
  paged: true,
  input: z.object({
    q: searchText.meta({
      description:
        'Words, "exact phrases" and operators: `from:`, `to:`, `since:`, `until:`, `filter:`, `lang:`, `min_faves:` and others (docs/rest.md, Tweets).',
      examples: ['from:ada coffee'],
    }),
    product: searchProduct.default('Latest').meta({ description: 'Newest first, or most engaging first.' }),
    ...pageInput,
  }),
  example: { q: 'from:grace', count: 1 },
  output: z.object({ query: z.string(), ...tweetPageOutput }),
  async run({ platform }, { q, product, count, cursor = null }) {
    return { query: q, ...tweetPage(await platform.searchTweets({ q, product, count, cursor })) };
  },
});
