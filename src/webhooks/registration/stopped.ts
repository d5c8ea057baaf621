const beginning = 'Not polled any more: ';

/** What its webhooks say once the platform refused what a poller asks with. */
export function stoppedError(reason: string): string {
  return `${beginning}${reason}. PUT /webhooks/{id} with new credentials goes on`;
}

const messagesBeginning = 'Messages are not opened any more: ';

/** What a webhook says once its code was refused. */
export function codeRefusedError(reason: string): string {
  return `${messagesBeginning}${reason}. PUT /webhooks/{id} with a new encryption_code goes on, with what came meanwhile`;
}

export function isStoppedError(lastError: string | null): boolean {
  return lastError?.startsWith(beginning) ?? false;
}
