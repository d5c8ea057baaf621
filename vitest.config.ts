import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Packages load it as CommonJS; another copy, as a module, would not know their types (graphql-js refuses two realms).
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Two cores: more workers only make servers on loopback wait for each other.
    maxWorkers: 2,
  },
});
