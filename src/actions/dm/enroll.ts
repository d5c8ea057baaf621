import { z } from 'zod';
import { platformAction } from '../action.ts';
import { ok } from './fields.ts';

export const dmEnroll = platformAction({
  name: 'dm/enroll',
  method: 'POST',
  summary: 'Create the chat keys of an account',
  description:
    'The public keys are published on the platform, and the private ones are stored in its key backup. `encryption_code` is a new code of your choice, ' +
    'which recovers them later. A code that is easy to guess is refused, and so is an account that already has keys, unless `replace_keys` is true.',
  handlesCredentials: true,
  code: 'required',
  input: z.object({
    replace_keys: z
      .boolean()
      .default(false)
      .describe(
        'Makes new keys for an account that has some, such as after an interrupted enrolment. The private keys of the old ones are deleted, so that messages sealed for them cannot be read any more.',
      ),
  }),
  example: {},
  output: z.object({ ok }),
  async run({ messages }, { replace_keys: isReplacing }) {
    await messages.enroll(isReplacing);
    return { ok: true };
  },
});
