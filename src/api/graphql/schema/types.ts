// Each of these modules adds its types and fields to the builder. Types of a module that is not imported would be missing.
import './account.ts';
import './article.ts';
import './conversation.ts';
import './platform-login.ts';
import './events.ts';
import './node.ts';
import './query.ts';
import './tweet.ts';
import './user.ts';
import './webhook.ts';
