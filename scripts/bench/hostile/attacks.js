// All attacks by name. Each attack is a function of a `Target` (see target.js). It may prepare data, calls `begin()`, and then attacks for
// a limited time. `fresh` requests a newly started service, because an earlier attack may have used up a limit. `platform` returns the settings
// of a service with another platform; it gets the usual ones. `namespace` requests a network namespace with the attack's own name server.
import { attacks as agents } from './attacks/agents.js';
import { attacks as answers } from './attacks/answers.js';
import { attacks as atproto } from './attacks/atproto.js';
import { attacks as bodies } from './attacks/bodies.js';
import { attacks as compiler } from './attacks/compiler.js';
import { attacks as dns } from './attacks/dns.js';
import { attacks as documents } from './attacks/documents.js';
import { attacks as fields } from './attacks/fields.js';
import { attacks as markdown } from './attacks/markdown.js';
import { attacks as media } from './attacks/media.js';
import { attacks as platformAnswers } from './attacks/platform-answers.js';
import { attacks as proxies } from './attacks/proxies.js';
import { attacks as servers } from './attacks/servers.js';
import { attacks as streams } from './attacks/streams.js';
import { attacks as tls } from './attacks/tls.js';
import { attacks as webhooks } from './attacks/webhooks.js';

export const attacks = {
  ...compiler,
  ...markdown,
  ...proxies,
  ...answers,
  ...webhooks,
  ...streams,
  ...bodies,
  ...fields,
  ...media,
  ...documents,
  ...servers,
  ...tls,
  ...platformAnswers,
  ...agents,
  ...atproto,
  ...dns,
};
