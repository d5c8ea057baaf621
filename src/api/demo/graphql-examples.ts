export interface GraphqlExample {
  title: string;
  query: string;
  variables?: Readonly<Record<string, unknown>>;
}

type Variables = NonNullable<GraphqlExample['variables']>;

/**
 * Creates an example whose first lines are comments with its title and `notes` about its cost. Lines should have at most 50 characters,
 * because the editor on a laptop shows no more.
 */
function example(title: string, notes: readonly string[], query: string, variables?: Variables): GraphqlExample {
  const comment = [title, ...notes].map((line) => `# ${line}\n`).join('');
  return { title, query: `${comment}${query.trim()}\n`, ...(variables && { variables }) };
}

/** The tabs that GraphiQL opens with. Each tab contains one named operation. */
export const graphqlExamples: readonly GraphqlExample[] = [
  example(
    'A user, their last tweets, and who wrote them.',
    [
      '0.001 dollars each: the user, the tweets, and any',
      'author whose listedCount is not known by then.',
      '0.007 at most; only calls that run are charged.',
    ],
    `
query UserTweets {
  user(userName: "grace") {
    userName
    followersCount
    tweets(first: 5) {
      edges {
        node {
          text
          likeCount
          author {
            userName
            listedCount
          }
        }
      }
    }
  }
}`,
  ),
  example(
    'The actor, and what their home timeline shows.',
    ['0.001 dollars each: the actor, the timeline.'],
    `
query Home {
  viewer {
    userName
    name
  }
  homeTimeline(first: 10) {
    edges {
      node {
        createdAt
        text
        author {
          userName
        }
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}`,
  ),
  example(
    'A search whose words are a variable, below.',
    ['0.001 dollars. For the next page, which costs the', 'same, give its endCursor as "after".'],
    `
query Search($q: String!, $after: String) {
  searchTweets(q: $q, product: LATEST, first: 10, after: $after) {
    edges {
      node {
        tweetId
        text
        likeCount
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}`,
    { q: 'from:grace', after: null },
  ),
  example(
    'Three followers, and the last tweets of each.',
    ['0.001 dollars each: the user, the followers, and', 'three times the tweets. 0.005 in all.'],
    `
query FollowersTweets {
  user(userName: "grace") {
    followers(first: 3) {
      edges {
        node {
          userName
          tweets(first: 3) {
            edges {
              node {
                createdAt
                text
              }
            }
          }
        }
      }
    }
  }
}`,
  ),
  example(
    'A tweet by the actor; its text is a variable.',
    [
      '0.001 dollars for posting it, 0.001 for its url,',
      'which is looked up. The same text twice within a',
      'day is refused, and costs nothing.',
    ],
    `
mutation Post($text: String!) {
  createTweet(input: { text: $text }) {
    id
    text
    tweet {
      url
    }
  }
}`,
    { text: 'Hello from GraphiQL' },
  ),
  example(
    'Direct messages, opened with the code of the actor.',
    [
      '0.001 dollars for the list, and 0.001 for the',
      'messages of each conversation. Messages are',
      'end-to-end encrypted: the code opens them.',
    ],
    `
query Messages {
  conversations(first: 2) {
    nodes {
      participants {
        userName
      }
      messages(first: 3) {
        nodes {
          fromMe
          text
          createdAt
        }
      }
    }
  }
}`,
  ),
  example(
    'The remaining credit, the usage and the limits.',
    ['Free, and needs no actor.'],
    `
query Account {
  account {
    name
    balance
    usage {
      period
      endpoint
      calls
      charged
    }
  }
  rateLimit {
    remaining
    cost
    costLimit
  }
}`,
  ),
];
