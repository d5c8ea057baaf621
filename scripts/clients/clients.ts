/**
 * The clients by name. `folder` is copied into a temporary folder, in which `install` runs once. `build` generates and compiles the client.
 * `run` prints `ok` or `not ok` for each step. `needs` is an action that a platform may not support. Commands are for bash; `OPENAPI` is the URL of the document.
 */
const node = {
  folder: 'node',
  install: 'npm ci --ignore-scripts --no-audit --no-fund && npm run --silent generate',
  inCi: true,
};

const python = {
  folder: 'python',
  install: 'python3 -m venv .venv && .venv/bin/pip install -q --disable-pip-version-check -r requirements.txt',
};

const generator = 'org.openapitools:openapi-generator-cli:7.17.0';
const jar =
  'java -jar "$HOME/.m2/repository/org/openapitools/openapi-generator-cli/7.17.0/openapi-generator-cli-7.17.0.jar"';
const fetchJar = `mvn -q dependency:get -Dartifact=${generator}`;

export const clients = {
  'openapi-typescript + fetch': {
    ...node,
    build: 'npm run --silent check',
    run: 'npx tsx openapi-fetch.ts',
  },
  '@hey-api/openapi-ts': { ...node, build: 'test -d generated/hey-api', run: 'npx tsx hey-api.ts' },
  'GraphQL: codegen, Apollo, urql': {
    ...node,
    build: 'test -s generated/graphql.ts',
    run: 'npx tsx graphql-clients.ts',
  },
  'webhooks: svix and standard': {
    ...node,
    build: 'test -d node_modules/svix',
    run: 'npx tsx webhooks.ts',
    needs: 'webhooks/create',
  },
  'openapi-python-client': {
    ...python,
    inCi: true,
    build:
      'PATH="$PWD/.venv/bin:$PATH" openapi-python-client generate --path "$OPENAPI" --output-path postern_client --meta none --fail-on-warning',
    run: '.venv/bin/python openapi_python_client.py',
  },
  'openapi-generator python': {
    ...python,
    inCi: false,
    build:
      `${fetchJar} && ${jar} generate -i "$OPENAPI" -g python -o generated --additional-properties=packageName=postern_api >generator.log 2>&1 || { tail -20 generator.log; exit 1; }; ` +
      '.venv/bin/pip install -q --disable-pip-version-check ./generated',
    run: '.venv/bin/python openapi_generator.py',
  },
  'openapi-generator java': {
    folder: 'java',
    install: fetchJar,
    inCi: false,
    build:
      `${jar} generate -i "$OPENAPI" -g java --library native -o generated --additional-properties=invokerPackage=postern,apiPackage=postern.api,modelPackage=postern.model >generator.log 2>&1 || { tail -20 generator.log; exit 1; }; ` +
      'cp Scenario.java generated/src/main/java/ && cd generated && mvn -q -DskipTests -Dmaven.test.skip=true -Dmaven.javadoc.skip=true compile dependency:build-classpath -Dmdep.outputFile=classpath.txt',
    run: 'cd generated && java -cp "target/classes:$(cat classpath.txt)" Scenario',
  },
  'oapi-codegen': {
    folder: 'go',
    inCi: false,
    build:
      'mkdir -p api && go tool oapi-codegen -generate types,client,skip-prune -package api "$OPENAPI" >api/api.go && go build -o scenario ./scenario.go',
    run: './scenario',
  },
  genqlient: {
    folder: 'go',
    inCi: false,
    build: 'cp "$GRAPHQL_SCHEMA" graphql/schema.graphql && cd graphql && go tool genqlient && go vet .',
  },
};
