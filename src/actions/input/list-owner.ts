/** The input fields that name the user to whom a list belongs. If both are given, the id takes precedence. */
export interface OwnerFields {
  readonly id: string;
  readonly name: string;
}

interface Owner {
  id: string;
  userName: string;
}

/**
 * Prefixes the platform's cursor with the owner of the list: `<id>:<lower-case screen name>:<cursor>`. Ids and screen
 * names contain no colon. Returns `null` for the last page.
 */
export function ownedCursor({ id, userName }: Owner, cursor: string | null): string | null {
  return cursor === null ? null : `${id}:${userName.toLowerCase()}:${cursor}`;
}

/** Extracts the platform's cursor from a cursor made by `ownedCursor`. Returns `null` for the first page. */
export function platformCursor(owned: string | undefined): string | null {
  return owned === undefined ? null : (parts(owned)[2] ?? null);
}

/** Returns true if the user named in the input owns the list that the cursor came from. */
export function isOwnedBy(owned: string, { id, name }: OwnerFields, input: Readonly<Record<string, unknown>>): boolean {
  const [ownerId, ownerName] = parts(owned);
  if (input[id] !== undefined) return input[id] === ownerId;
  return String(input[name]).toLowerCase() === ownerName;
}

function parts(owned: string): string[] {
  return /^([^:]*):([^:]*):(.*)$/s.exec(owned)?.slice(1) ?? [];
}
