/** The input fields by which a caller names the user that a list belongs to. The id overrides the name. */
export interface OwnerFields {
  readonly id: string;
  readonly name: string;
}

interface Owner {
  id: string;
  userName: string;
}

/**
 * The platform's cursor with the owner of its list in front: `<id>:<screen name in lower case>:<cursor>`. Neither an id
 * nor a screen name contains a colon. `null` on the last page.
 */
export function ownedCursor({ id, userName }: Owner, cursor: string | null): string | null {
  return cursor === null ? null : `${id}:${userName.toLowerCase()}:${cursor}`;
}

/** The platform's cursor that `ownedCursor` was given; `null` for the first page. */
export function platformCursor(owned: string | undefined): string | null {
  return owned === undefined ? null : (parts(owned)[2] ?? null);
}

/** Returns true if the user that the input names owns the list that the cursor is from. */
export function isOwnedBy(owned: string, { id, name }: OwnerFields, input: Readonly<Record<string, unknown>>): boolean {
  const [ownerId, ownerName] = parts(owned);
  if (input[id] !== undefined) return input[id] === ownerId;
  return String(input[name]).toLowerCase() === ownerName;
}

function parts(owned: string): string[] {
  return /^([^:]*):([^:]*):(.*)$/s.exec(owned)?.slice(1) ?? [];
}
