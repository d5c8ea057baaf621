/** What its webhooks say once the platform refused what a poller asks with. */
export function stoppedError(reason: string): string {
  return `Not polled any more: ${reason}. PUT /webhooks/{id} with new credentials goes on`;
}
