const beginning = 'Not polled any more: ';

/** What its webhooks say once the platform refused what a poller asks with. */
export function stoppedError(reason: string): string {
  return `${beginning}${reason}. PUT /webhooks/{id} with new credentials goes on`;
}

export function isStoppedError(lastError: string | null): boolean {
  return lastError?.startsWith(beginning) ?? false;
}
