import type { EdgePage } from '../core/paging.ts';

interface Edge<Node> {
  readonly node: Node;
  readonly cursor: string;
}

/** A page of a list in the shape of the Relay specification. Cursors are sealed only where they are asked for. */
export class Connection<Node> {
  readonly edges: readonly Edge<Node>[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };

  /** At most `first` of the page's items, those before `skip` left out. */
  constructor(page: EdgePage, items: readonly Node[], first: number, isContinued: boolean) {
    const end = Math.min(items.length, page.skip + first);
    const cursorAt = (index: number) => page.cursorAt(index, items.length);
    this.edges = items.slice(page.skip, end).map((node, i) => ({
      node,
      get cursor() {
        return cursorAt(page.skip + i);
      },
    }));
    const { edges } = this;
    this.pageInfo = {
      hasNextPage: end < items.length || page.output.has_more,
      hasPreviousPage: isContinued,
      get startCursor() {
        return edges[0]?.cursor ?? null;
      },
      get endCursor() {
        return edges.at(-1)?.cursor ?? null;
      },
    };
  }
}
