import { z } from 'zod';
import { type Page, pageInput, pageOutput } from '../../shared/model/page.ts';
import { type AccountContext, type Action, accountAction } from '../action.ts';

interface AccountList<Item extends z.ZodType> extends Pick<Action, 'name' | 'summary'> {
  description?: string;
  path?: string;
  keyGroup?: Action['keyGroup'];
  item: Item;
  read: (context: AccountContext, count: number, cursor: string | null) => Promise<Page<z.input<Item>>>;
}

/** Declares a list of the account. `items` is the output field with the items. */
export function accountList<Item extends z.ZodType>(items: string, { item, read, ...documented }: AccountList<Item>) {
  return accountAction({
    ...documented,
    method: 'GET',
    paged: true,
    input: z.object(pageInput),
    example: { count: 5 },
    output: z.object({ [items]: z.array(item), ...pageOutput }),
    async run(context, { count, cursor = null }) {
      const page = await read(context, count, cursor);
      return { [items]: page.items, has_more: page.cursor !== null, next_cursor: page.cursor };
    },
  });
}
