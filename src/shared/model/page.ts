import { z } from 'zod';

/** One page of a list. `cursor` is the cursor of the next page; it is `null` on the last page. */
export interface Page<Item> {
  items: Item[];
  cursor: string | null;
}

/** The input fields of every paged action (docs/rest.md, Pages). */
export const pageInput = {
  count: z
    .int('must be a whole number from 1 to 100')
    .min(1, 'must be a whole number from 1 to 100')
    .max(100, 'must be a whole number from 1 to 100')
    .default(20)
    .meta({ description: 'Items on a page, 1 to 100.', examples: [20] }),
  cursor: z
    .string()
    .min(1, 'must be the next_cursor of the previous page; leave it out for the first page')
    .max(2048, 'must be the next_cursor of the previous page')
    .optional()
    .meta({
      description: '`next_cursor` of the previous page; left out for the first page.',
      examples: ['4pWSbYslvkG1DZhDbucxw09PSVludWM1VWs1Y3doa0pNakV5TkRBMk1EYzVPREV4'],
    }),
};

/** The output fields of every paged action in addition to its items. */
export const pageOutput = {
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
};
