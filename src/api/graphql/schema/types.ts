// Each of these modules adds its types and fields to the builder. Types of a module that is not imported would be missing.
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
