import { because, messageActions, type PlatformCapabilities } from '../capabilities.ts';

/** The network has direct messages, but its server can read them, so they are not the messages of this API. */
const messages = "The platform's messages are not end-to-end encrypted";

/** The limits come from the lexicons `app.bsky.feed.post`, `app.bsky.embed.images` and `app.bsky.embed.video`. GIFs are for articles. */
export const atprotoCapabilities = {
  kind: 'atproto',
  unsupported: because(messages, ...messageActions),
  eventTypes: ['tweet.mention', 'tweet.reply', 'tweet.quote', 'tweet.like', 'tweet.retweet', 'user.follow'],
  limits: {
    text: { unit: 'graphemes', length: 300, premiumLength: null, bytes: 3_000 },
    mediaBytes: { photo: 2_000_000, gif: 5_000_000, video: 100_000_000 },
  },
} satisfies PlatformCapabilities;
