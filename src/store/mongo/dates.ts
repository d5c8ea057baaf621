export function toDate(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

export function toMs(date: Date | null): number | null {
  return date?.getTime() ?? null;
}
