import { boundResponses } from '../response-budget.ts';
import { builder } from './builder.ts';
// Each module adds its types and fields to the builder. A type whose module is not imported would be missing.
import './account.ts';
import './article.ts';
import './article-mutations.ts';
import './conversation.ts';
import './events.ts';
import './list.ts';
import './media-mutations.ts';
import './message-mutations.ts';
import './node.ts';
import './query.ts';
import './tweet.ts';
import './tweet-mutations.ts';
import './user.ts';
import './user-mutations.ts';
import './webhook.ts';
import './webhook-mutations.ts';

export const schema = boundResponses(builder.toSchema({ sortSchema: false }));
