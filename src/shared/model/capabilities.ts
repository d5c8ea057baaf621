import { z } from 'zod';
import { byteCount, count } from './scalars.ts';
import { eventType } from './webhook.ts';

export const actionSupport = z
  .object({
    name: z.string().meta({ description: 'Name of the action, such as `tweet/create`.', examples: ['tweet/create'] }),
    method: z.string().meta({ description: 'HTTP method of the REST call.', examples: ['POST'] }),
    path: z.string().meta({ description: 'Path of the REST call, below `/v1`.', examples: ['/tweet/create'] }),
    supported: z.boolean().meta({ description: 'False if the call is refused with 501.' }),
    reason: z.string().nullable().meta({ description: 'Why the action is not supported; null if it is.' }),
  })
  .meta({ id: 'ActionSupport', description: 'Whether the platform supports an action.' });

export const textLimit = z
  .object({
    unit: z.string().meta({
      description:
        'How the length is counted: `weighted_characters`, as twitter-text counts, or `graphemes`, the characters that a reader sees.',
      examples: ['weighted_characters'],
    }),
    max_length: count.meta({ description: 'Maximum length of a tweet.' }),
    max_length_premium: count.nullable().meta({
      description: 'Maximum length for a premium account; null if the platform has no such accounts.',
    }),
    max_bytes: count
      .nullable()
      .meta({ description: 'Maximum size in bytes of UTF-8; null if only the length counts.' }),
  })
  .meta({ id: 'TextLimit', description: 'The maximum length of a tweet.' });

export const mediaLimit = z
  .object({
    kind: z.string().meta({
      description: '`photo`, `gif` or `video`; or `audio`, `svg` or `file`, which can be sent in messages only.',
      examples: ['photo'],
    }),
    max_bytes: byteCount.meta({ description: 'Maximum size in bytes.' }),
  })
  .meta({ id: 'MediaLimit', description: 'The maximum size of a kind of media.' });

export const signIn = z
  .object({
    scopes: z.array(z.string()).meta({ description: 'All scopes that a sign-in may ask for.' }),
    default_scopes: z.array(z.string()).meta({ description: 'The scopes that a sign-in asks for by default.' }),
  })
  .meta({ id: 'SignIn', description: 'The sign-in of platform users, by which connections are made.' });

export const capabilities = z
  .object({
    platform: z.string().meta({ description: 'Kind of the connected platform.', examples: ['sandbox'] }),
    actions: z.array(actionSupport).meta({ description: 'All actions of the API.' }),
    event_types: z.array(eventType).meta({ description: 'Types of events that the platform reports.' }),
    text: textLimit.meta({ description: 'The maximum length of a tweet.' }),
    media: z.array(mediaLimit).meta({ description: 'The kinds of media that the platform accepts.' }),
    sign_in: signIn.nullable().meta({
      description:
        'The sign-in that `POST /connections` begins; null if the platform has none, or if it is not set up.',
    }),
  })
  .meta({ id: 'Capabilities', description: 'What the connected platform supports.' });

export type Capabilities = z.infer<typeof capabilities>;
