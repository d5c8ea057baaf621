import { dmDelete } from '../../../actions/dm/delete.ts';
import { dmEdit } from '../../../actions/dm/edit.ts';
import { dmEnroll } from '../../../actions/dm/enroll.ts';
import { dmReact, dmUnreact } from '../../../actions/dm/react.ts';
import { dmSend } from '../../../actions/dm/send.ts';
import { dmSendMedia } from '../../../actions/dm/send-media.ts';
import { costs } from '../cost.ts';
import { mutation } from './mutation.ts';

/* The code is the header `x-encryption-code` and never a variable, because variables may be logged with a document. */

/** The UTF-8 size of a message of the maximum length, 10,000 characters. */
const text = costs({ bytes: 30_000 });

mutation('sendMessage', dmSend, { payload: { options: { text } } });
mutation('sendMediaMessage', dmSendMedia, { payload: { options: { text } } });
mutation('editMessage', dmEdit, { payload: { options: { text } } });
mutation('deleteMessage', dmDelete);
for (const [field, action] of [
  ['addReaction', dmReact],
  ['removeReaction', dmUnreact],
] as const) {
  mutation(field, action, {
    input: { type: 'ReactionInput', description: 'A message and a reaction.' },
    payload: { type: 'ReactionPayload', description: 'A reaction that was added or removed.' },
  });
}
mutation('enrollChat', dmEnroll);
