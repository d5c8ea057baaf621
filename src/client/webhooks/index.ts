/**
 * Functions for programs that receive webhooks: `import { receiver, verify } from 'postern/webhooks'`. They run in
 * Node, Deno, Bun, Cloudflare Workers and browsers, because they use web APIs only and the build bundles their
 * dependencies.
 */
export type * from './events.ts';
export { fetchReceiver, type NodeRequest, type NodeResponse, type ReceiverOptions, receiver } from './receiver.ts';
export {
  answerCrc,
  type Delivery,
  isSignedByPlatform,
  type RawBody,
  type ReceivedHeaders,
  type VerifyOptions,
  verify,
  WebhookVerificationError,
} from './verify.ts';
