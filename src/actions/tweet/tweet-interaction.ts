import { z } from 'zod';
import type { PlatformSession } from '../../platform/port.ts';
import { tweetId } from '../../shared/model/scalars.ts';
import { type ActionName, flatPrice, platformAction } from '../action.ts';

interface Interaction {
  /** The name of the action, such as `tweet/favorite`. */
  name: ActionName;
  summary: string;
  /** The boolean field of the output, such as `liked`. */
  done: string;
  effect?: 'idempotent' | 'once';
  destructive?: boolean;
  perform: (platform: PlatformSession, tweetId: string) => Promise<void>;
}

/**
 * Declares an action that marks or unmarks one tweet, such as a like. Its input is `tweet_id`, and its output is
 * `tweetId` and one boolean (docs/rest.md, Tweets).
 */
export function tweetInteraction({ name, done, effect = 'idempotent', perform, ...documented }: Interaction) {
  return platformAction({
    ...documented,
    name,
    method: 'POST',
    path: `/${name}`,
    price: flatPrice,
    effect,
    input: z.object({ tweet_id: tweetId }),
    example: { tweet_id: '1989000000000000000' },
    output: z.object({
      tweetId,
      [done]: z.boolean().meta({ description: 'Always true. A failed request returns an error instead.' }),
    }),
    async run({ platform }, { tweet_id }) {
      await perform(platform, tweet_id);
      return { tweetId: tweet_id, [done]: true };
    },
  });
}
