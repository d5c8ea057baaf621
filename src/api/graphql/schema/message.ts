import { attachment, directMessage, reaction } from '../../../shared/model/direct-message.ts';
import { costs } from '../cost.ts';
import { connectionOf } from './refs.ts';
import { objectOf } from './zod-types.ts';

objectOf('Reaction', reaction);
objectOf('Attachment', attachment);

export const MessageRef = objectOf('Message', directMessage, { options: { text: costs({ bytes: 300 }) } });
export const MessageConnection = connectionOf('Message', MessageRef);
