// All attacks by name. Each attack is a function of a `Target` (see target.js). It may prepare data, calls `begin()`, and then attacks for
// a limited time. `fresh` requests a newly started service, because an earlier attack may have used up a limit. `platform` returns the settings
// of a service with another platform. `namespace` requests a network namespace with the attack's own name server.
import { attacks as agents } from './attacks/agents.ts';
import { attacks as answers } from './attacks/answers.ts';
import { attacks as atproto } from './attacks/atproto.ts';
import { attacks as bodies } from './attacks/bodies.ts';
import { attacks as compiler } from './attacks/compiler.ts';
import { attacks as dns } from './attacks/dns.ts';
import { attacks as documents } from './attacks/documents.ts';
import { attacks as fields } from './attacks/fields.ts';
import { attacks as markdown } from './attacks/markdown.ts';
import { attacks as media } from './attacks/media.ts';
import { attacks as platformAnswers } from './attacks/platform-answers.ts';
import { attacks as proxies } from './attacks/proxies.ts';
import { attacks as servers } from './attacks/servers.ts';
import { attacks as streams } from './attacks/streams.ts';
import { attacks as webhooks } from './attacks/webhooks.ts';

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
  ...platformAnswers,
  ...agents,
  ...atproto,
  ...dns,
};
