/** Kept among a poller's events, in their order, for live streams; no webhook gets it. */
export const gapType = 'gap';

/** Says that events before it are missing. */
export function gapEvent(id: string) {
  return { id, type: gapType, body: JSON.stringify({ reason: 'The platform did not keep all that happened' }) };
}

export function readGap(body: string): string {
  return (JSON.parse(body) as { reason: string }).reason;
}
