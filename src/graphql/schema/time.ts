/** The `createdAt` of tweets and Authors (SPEC.md, Tweet) as ISO 8601. */
export function isoTime(tweetTime: string): string {
  return new Date(tweetTime).toISOString();
}
