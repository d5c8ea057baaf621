import type { Article } from '../../../shared/model/article.ts';
import type { Params } from '../../router.tsx';
import { ArticleText } from './article-text.tsx';
import { Status } from './articles-page.tsx';
import { ExplorerFrame } from './explorer-frame.tsx';
import { articleQuery } from './graphql.ts';
import { PaidView } from './paid-views.tsx';

/** One article with its text. */
export function ArticlePage({ params: { id = '' } }: { params: Params }) {
  const call = { name: 'article/detail', input: { article_id: id } };
  return (
    <ExplorerFrame title="Article" opens={[call]} calls={[call]} graphql={articleQuery(id)}>
      <PaidView<Article> call={call} what="the article">
        {(article) => (
          <article class="article" aria-labelledby="article-title">
            <h2 id="article-title">{article.title}</h2>
            <Status article={article} />
            <ArticleText markdown={article.content} />
          </article>
        )}
      </PaidView>
    </ExplorerFrame>
  );
}
