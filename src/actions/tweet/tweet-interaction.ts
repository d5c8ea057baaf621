import { z } from 'zod';
import type { PlatformSession } from '../../platform/port.ts';
import { tweetId } from '../../shared/model/scalars.ts';
import { flatPrice, platformAction } from '../action.ts';

interface Interaction {
  /** The name of the action, such as `tweet/favorite`. */
  name: string;
  summary: string;
  atProtocol: string | null;
  /** The boolean of the output, such as `liked`. */
  done: string;
  effect?: 'idempotent' | 'once';
  perform: (platform: PlatformSession, tweetId: string) => Promise<void>;
}

/** Declares an action that adds or removes a mark of the actor on one tweet: takes `tweet_id`, returns `tweetId` and one boolean (docs/rest.md, Tweets). */
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
    output: z.object({ tweetId, [done]: z.boolean().meta({ description: 'Always true; a failure is an error.' }) }),
    async run({ platform }, { tweet_id }) {
      await perform(platform, tweet_id);
      return { tweetId: tweet_id, [done]: true };
    },
  });
}
