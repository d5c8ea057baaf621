import express, { type Express } from 'express';
import type { Logger } from '../../shared/observability/logger.ts';
import type { Metrics } from '../../shared/observability/metrics.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import { type ConnectPagesParts, connectPages } from '../connect/connect-pages.ts';
import { apiDocuments } from '../pages/api-documents.ts';
import { consolePage } from '../pages/console-page.ts';
import { docsPage } from '../pages/docs-page.ts';
import { errorsPage } from '../pages/errors-page.ts';
import { graphiqlPage } from '../pages/graphiql-page.ts';
import { type HomePageParts, homePage } from '../pages/home-page.ts';
import { unknownPath } from '../rest/routes.ts';
import { type HealthParts, healthRoutes } from './health.ts';
import { errorHandler } from './http-errors.ts';
import { metricsRoute } from './metrics-route.ts';

export interface WebParts {
  logger: Logger;
  metrics: Metrics;
  metricsToken: Secret | null;
  health: HealthParts;
  home: HomePageParts;
  connect: ConnectPagesParts;
}

/** Creates the Express app. The order of its handlers matters. */
export function expressApp({ logger, metrics, metricsToken, health, home, connect }: WebParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  app.use(healthRoutes(health));
  app.use(metricsRoute(metrics, metricsToken));
  app.use(homePage(home));
  app.use(docsPage(home));
  app.use(errorsPage());
  app.use(consolePage(home));
  app.use(apiDocuments(home));
  app.use(graphiqlPage(home));
  app.use(connectPages(connect));
  app.use(() => {
    throw unknownPath();
  });
  app.use(errorHandler(logger));
  return app;
}
