const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const two = (n: number) => (n < 10 ? `0${n}` : `${n}`);

/**
 * Formats the `createdAt` of tweets and authors: `<weekday> <month> <day> <HH:MM:SS> <+0000> <year>` (docs/rest.md, Responses), such as
 * `Sat Nov 21 09:26:41 +0000 2026`.
 */
export function formatTweetTime(time: Date): string {
  const clock = `${two(time.getUTCHours())}:${two(time.getUTCMinutes())}:${two(time.getUTCSeconds())}`;
  const day = `${weekdays[time.getUTCDay()]} ${months[time.getUTCMonth()]} ${two(time.getUTCDate())}`;
  return `${day} ${clock} +0000 ${time.getUTCFullYear()}`;
}

/** Formats a time as ISO 8601 with milliseconds in UTC. */
export function formatIsoTime(ms: number): string {
  return new Date(ms).toISOString();
}
