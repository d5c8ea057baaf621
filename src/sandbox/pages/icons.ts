import { SafeHtml } from './html.ts';

/** Outlines in a square of 24 units. */
const outlines = {
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5L20 20',
  bell: 'M6 17v-6a6 6 0 0 1 12 0v6l2 2H4zM10 21h4',
  message: 'M4 5h16v11H9l-5 4z',
  bookmark: 'M7 4h10v16l-5-4-5 4z',
  article: 'M6 3h12v18H6zM9 8h6M9 12h6M9 16h4',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c1-5 4-6 8-6s7 1 8 6',
  lab: 'M9 3h6M10 3v6L5 19a1 1 0 0 0 1 2h12a1 1 0 0 0 1-2L14 9V3M8 15h8',
  reply: 'M4 5h16v11H9l-5 4z',
  retweet: 'M5 16V8h11M13 5l3 3-3 3M19 8v8H8M11 19l-3-3 3-3',
  like: 'M12 20C6 15 4 12.5 4 9.5A4 4 0 0 1 12 8a4 4 0 0 1 8 1.5c0 3-2 5.5-8 10.5z',
  quote: 'M5 19V9l4-4h10v14zM9 11h6M9 15h6',
  delete: 'M5 7h14M10 7V4h4v3M7 7l1 14h8l1-14',
} as const;

export type IconName = keyof typeof outlines;

export function icon(name: IconName): SafeHtml {
  return new SafeHtml(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${outlines[name]}"/></svg>`);
}
