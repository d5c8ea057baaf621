const months = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/**
 * Converts the `createdAt` of tweets and authors (docs/rest.md, Responses: `Sat Nov 21 09:26:41 +0000 2026`) to ISO 8601. Returns other
 * times unchanged, because they are in ISO 8601 already. Slices the string instead of parsing a date, because slicing is faster and every
 * tweet of a page needs the conversion.
 */
export function toIsoTime(time: string): string {
  if (time[3] !== ' ') return time;
  const month = months.indexOf(time.slice(4, 7)) / 3 + 1;
  const year = time.slice(26);
  return `${year}-${month < 10 ? '0' : ''}${month}-${time.slice(8, 10)}T${time.slice(11, 19)}.000Z`;
}
