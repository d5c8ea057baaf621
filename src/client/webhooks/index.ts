/** For who receives webhooks: `import { receiver, verify } from 'postern/webhooks'`. */
export type * from './events.ts';
export { answerCrc, type ReceiverOptions, receiver } from './receiver.ts';
export {
  type Delivery,
  isSignedByPlatform,
  type ReceivedHeaders,
  type VerifyOptions,
  verify,
  WebhookVerificationError,
} from './verify.ts';
