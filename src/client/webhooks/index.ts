/**
 * For programs that receive webhooks: `import { receiver, verify } from 'postern/webhooks'`. Runs in Node, Deno, Bun,
 * Cloudflare Workers and browsers: it uses web APIs only, and the build bundles the packages that it imports.
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
