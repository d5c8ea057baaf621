import type { Page } from '../../shared/model/page.ts';
import type { UserCard } from '../../shared/model/user-card.ts';
import type { UserName } from '../port.ts';
import { readCard } from './read-user.ts';
import { asWire, id, list, nullable, object, text, type Wire } from './wire.ts';

/** A page: its items, the cursor to the next, and what else it tells. */
export function itemsAnd<Item, More extends object>(
  body: Wire,
  readItems: (page: Wire) => Item[],
  more: More,
): Page<Item> & More {
  return { ...more, items: readItems(body), cursor: nullable(text, body, 'next_cursor') };
}

export function readUserCards(page: Wire): UserCard[] {
  return list(page, 'users').map((user) => readCard(asWire(user, 'users[]')));
}

export function readOwner(page: Wire): { user: UserName } {
  const user = object(page, 'user');
  return { user: { id: id(user, 'id'), userName: text(user, 'screen_name') } };
}

export function readViewer(page: Wire): { viewerId: string } {
  return { viewerId: id(page, 'viewer_id') };
}
