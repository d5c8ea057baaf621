import type { ArticleSummary } from '../../../shared/model/article.ts';
import { Time } from '../../ui/format.tsx';
import { Badge } from '../../ui/page.tsx';
import { ExplorerFrame } from './explorer-frame.tsx';
import { articlesQuery } from './graphql.ts';
import { ForeignLink, Link, pathTo } from './links.tsx';
import { type Page, pagesOf } from './paid-calls.ts';
import { PaidList } from './paid-views.tsx';

/** The articles of the chosen actor. */
export function ArticlesPage() {
  const call = { name: 'article/list', input: {} };
  const { calls } = pagesOf(call);
  return (
    <ExplorerFrame title="Articles" opens={[call]} calls={calls} graphql={articlesQuery(calls.length)}>
      <PaidList<Page & { articles: ArticleSummary[] }, ArticleSummary>
        call={call}
        what="the articles"
        empty="The account has written no articles"
        items={({ articles }) => articles}
        keyOf={({ article_id }) => article_id}
      >
        {(article) => (
          <article class="tweet">
            <h2>
              <Link to={pathTo.article(article.article_id)}>{article.title}</Link>
            </h2>
            <Status article={article} />
          </article>
        )}
      </PaidList>
    </ExplorerFrame>
  );
}

/** The status of an article, the time of its last edit, and its links. */
export function Status({
  article: { status, updated_at, public_url, draft_url, tweet_id },
}: {
  article: ArticleSummary;
}) {
  const url = public_url ?? draft_url;
  return (
    <p class="row soft">
      <Badge tone={status === 'published' ? 'good' : 'neutral'}>{status === 'published' ? 'Published' : 'Draft'}</Badge>
      <span>
        Edited <Time at={updated_at} />
      </span>
      {tweet_id && <Link to={pathTo.tweet(tweet_id)}>Tweet</Link>}
      {url && <ForeignLink to={url}>On the platform</ForeignLink>}
    </p>
  );
}
