import type { Operation } from '../../http/operation.ts';
import { chatConversation, chatConversations } from './conversations.ts';
import { chatMedia, uploadChatMedia } from './media.ts';
import { chatMessage, chatMessages } from './messages.ts';
import { chatPublicKeys, registerChatKeys } from './public-keys.ts';
import { changeChatKey, sendChatEvent } from './send.ts';

export const chatOperations: readonly Operation[] = [
  chatConversations,
  chatConversation,
  chatMessages,
  chatMessage,
  changeChatKey,
  sendChatEvent,
  uploadChatMedia,
  chatMedia,
  chatPublicKeys,
  registerChatKeys,
];
