import type { Route } from '../../router.tsx';

const lists = () => import('./lists.ts');

/** The pages of the explorer. The page of an article is loaded separately, because it needs a Markdown parser. */
export const explorerRoutes: readonly Route[] = [
  { path: '/explore', load: async () => (await lists()).SearchPage },
  { path: '/explore/search', load: async () => (await lists()).SearchPage },
  { path: '/explore/home', load: async () => (await lists()).HomePage },
  { path: '/explore/mentions', load: async () => (await lists()).MentionsPage },
  { path: '/explore/bookmarks', load: async () => (await lists()).BookmarksPage },
  { path: '/explore/tweet/:id', load: async () => (await lists()).TweetPage },
  { path: '/explore/user/:name', load: async () => (await lists()).UserPage },
  { path: '/explore/articles', load: async () => (await lists()).ArticlesPage },
  { path: '/explore/article/:id', load: async () => (await import('./article-page.tsx')).ArticlePage },
  { path: '/explore/messages', load: async () => (await lists()).ConversationsPage },
  { path: '/explore/messages/:id', load: async () => (await lists()).ConversationPage },
];
