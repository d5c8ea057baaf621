import type { EdgePage } from '../../actions/paging/paging.ts';

/** A page of a list in the shape of the Relay specification. */
export class Connection<Node> {
  readonly edges: readonly Edge<Node>[];
  readonly pageInfo: PageInfo;
  /** The output of the action, with its fields beside the items. */
  readonly output: EdgePage['output'];

  /** Takes at most `first` items of the page, beginning at `skip`. */
  constructor(page: EdgePage, items: readonly Node[], first: number, isContinued: boolean) {
    const { skip } = page;
    const count = items.length;
    const end = Math.min(count, skip + first);
    this.output = page.output;
    this.edges = items.slice(skip, end).map((node, i) => new Edge(node, page, skip + i, count));
    this.pageInfo = new PageInfo(this.edges, end < count || page.output.has_more, isContinued);
  }
}

/** An edge of a connection. Its cursor is sealed only if the request selects it. */
class Edge<Node> {
  readonly node: Node;
  readonly #page: EdgePage;
  readonly #index: number;
  readonly #count: number;

  constructor(node: Node, page: EdgePage, index: number, count: number) {
    this.node = node;
    this.#page = page;
    this.#index = index;
    this.#count = count;
  }

  get cursor(): string {
    return this.#page.cursorAt(this.#index, this.#count);
  }
}

class PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly #edges: readonly Edge<unknown>[];

  constructor(edges: readonly Edge<unknown>[], hasNextPage: boolean, hasPreviousPage: boolean) {
    this.#edges = edges;
    this.hasNextPage = hasNextPage;
    this.hasPreviousPage = hasPreviousPage;
  }

  get startCursor(): string | null {
    return this.#edges[0]?.cursor ?? null;
  }

  get endCursor(): string | null {
    return this.#edges.at(-1)?.cursor ?? null;
  }
}
