export { ArticlesPage } from './articles-page.tsx';
export { ConversationPage, ConversationsPage } from './messages-pages.tsx';
export { SearchPage } from './search-page.tsx';
export { BookmarksPage, HomePage, MentionsPage } from './timeline-page.tsx';
export { TweetPage } from './tweet-page.tsx';
export { UserPage } from './user-page.tsx';
